// Shows the schema in Swagger UI. A try-out of somebody who is signed in to the console goes with the session.
"use strict";

(() => {
  const cookie = (name) => {
    const found = document.cookie.split("; ").find((part) => part.startsWith(`${name}=`));
    return found ? decodeURIComponent(found.slice(name.length + 1)) : "";
  };

  const withToken = (request) => {
    if (!request.headers.Authorization) request.headers["X-CSRFToken"] = cookie("csrftoken");
    return request;
  };

  window.SwaggerUIBundle({
    url: document.getElementById("reference").dataset.schema,
    dom_id: "#reference",
    deepLinking: true,
    docExpansion: "none",
    defaultModelsExpandDepth: 0,
    filter: true,
    requestInterceptor: withToken,
    // no validator of another host
    validatorUrl: null,
  });
})();

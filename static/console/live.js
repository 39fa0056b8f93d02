// Live pages: a WebSocket tells which resource changed, and the page fetches that fragment again.
//
// A fragment says what it shows: data-live-kind="Instance" (or several kinds), and data-live-uid for a single one. When that changes
// it gets the event "cycloud:changed" (its hx-trigger). The page knows which version of the change feed it was made from
// (data-live-version), and later which one it was told of last: each connection goes on there, so nothing is missed in between.
// While there is no connection the fragments are fetched every POLL_MS.
(() => {
  "use strict";
  const POLL_MS = 5000;
  const FIRST_RETRY_MS = 500;
  const LAST_RETRY_MS = 30000;
  const COALESCE_MS = 120;

  const project = document.body.dataset.liveProject;
  if (!project) return;

  const indicator = document.getElementById("live-state");
  let socket = null;
  let retry = FIRST_RETRY_MS;
  let version = document.body.dataset.liveVersion || null;
  const waiting = new Map();

  const fragments = () => document.querySelectorAll("[data-live-kind]");
  const kindsOf = (element) => element.dataset.liveKind.split(" ");

  function show(state) {
    if (!indicator) return;
    const words = { on: "Live", off: "Reconnecting" };
    indicator.dataset.state = state;
    indicator.querySelector(".word").textContent = words[state];
    indicator.title = state === "on" ? "Changes appear by themselves" : "No live connection; the page is fetched again every few seconds";
  }

  function refresh(element) {
    if (waiting.has(element.id)) return;
    waiting.set(element.id, setTimeout(() => {
      waiting.delete(element.id);
      const current = document.getElementById(element.id);
      if (current) current.dispatchEvent(new CustomEvent("cycloud:changed"));
    }, COALESCE_MS));
  }

  function subscribe() {
    const resources = [];
    for (const element of fragments()) {
      for (const kind of kindsOf(element)) resources.push({ kind, uid: element.dataset.liveUid || null });
    }
    socket.send(JSON.stringify({ type: "subscribe", resources, resource_version: version }));
  }

  function onChange(change) {
    for (const element of fragments()) {
      const { liveUid } = element.dataset;
      if (kindsOf(element).includes(change.kind) && (!liveUid || liveUid === change.uid)) refresh(element);
    }
  }

  function onMessage(message) {
    if (message.resource_version) version = message.resource_version;
    if (message.type === "subscribed") {
      retry = FIRST_RETRY_MS;
      show("on");
    } else if (message.type === "changed") {
      onChange(message);
    } else if (message.type === "error" && version !== null && message.reason.startsWith("RESOURCE_VERSION_")) {
      // away for too long: what happened since is not known any more
      version = null;
      fragments().forEach(refresh);
      subscribe();
    }
  }

  function connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    socket = new WebSocket(`${scheme}://${location.host}/ws/projects/${encodeURIComponent(project)}/`);
    socket.onopen = subscribe;
    socket.onmessage = (event) => onMessage(JSON.parse(event.data));
    socket.onclose = (event) => {
      show("off");
      socket = null;
      // 4401, 4404: signed out, or no member any more. Trying again would not help; loading the page tells why
      if (event.code === 4401 || event.code === 4404) return;
      setTimeout(connect, retry * (0.5 + Math.random() / 2));
      retry = Math.min(retry * 2, LAST_RETRY_MS);
    };
  }

  setInterval(() => {
    if (socket === null && !document.hidden) fragments().forEach(refresh);
  }, POLL_MS);

  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) fragments().forEach(refresh);
  });

  if (fragments().length > 0) connect();
})();

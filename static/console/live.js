// Live pages: a WebSocket tells which resource changed, and the page fetches that fragment again.
//
// A fragment says what it shows: data-live-kind="Instance" (or several kinds), and data-live-uid for a single one. On
// a hint it gets the event "cycloud:changed" (its hx-trigger). Hints may get lost, so all fragments are fetched again after each
// reconnect, and while there is no connection they are fetched every POLL_MS.
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
  let opened = false;
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

  function subscribeAll() {
    const requests = new Set();
    for (const element of fragments()) {
      for (const kind of kindsOf(element)) {
        requests.add(JSON.stringify({ type: "subscribe", kind, uid: element.dataset.liveUid || null }));
      }
    }
    requests.forEach((request) => socket.send(request));
  }

  function onHint(hint) {
    for (const element of fragments()) {
      const { liveUid } = element.dataset;
      if (kindsOf(element).includes(hint.kind) && (!liveUid || liveUid === hint.uid)) refresh(element);
    }
  }

  function connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    socket = new WebSocket(`${scheme}://${location.host}/ws/projects/${encodeURIComponent(project)}/`);
    socket.onopen = () => {
      subscribeAll();
      if (opened) fragments().forEach(refresh);
      opened = true;
      retry = FIRST_RETRY_MS;
      show("on");
    };
    socket.onmessage = (event) => {
      const message = JSON.parse(event.data);
      if (message.type === "changed") onHint(message);
      // what changed between rendering the page and the subscription was told to nobody
      if (message.type === "subscribed") onHint(message);
    };
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

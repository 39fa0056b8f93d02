// Small behaviours of the pages: dialogs, menus, rows of forms, choices that depend on the zone.
(() => {
  "use strict";

  htmx.config.includeIndicatorStyles = false;
  htmx.config.allowEval = false;
  htmx.config.historyCacheSize = 0;

  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-opens]");
    if (opener) openDialog(document.getElementById(opener.dataset.opens));
    const closer = event.target.closest("[data-closes]");
    if (closer) closer.closest("dialog").close();
    const adder = event.target.closest("[data-adds]");
    if (adder) addRow(adder);
    const remover = event.target.closest("[data-removes]");
    if (remover) removeRow(remover);
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });

  function openDialog(dialog) {
    dialog.showModal();
    for (const part of dialog.querySelectorAll("[hx-get]")) part.dispatchEvent(new CustomEvent("cycloud:opened"));
  }

  // -- a form that asks before it is sent: data-asks="Delete x?"
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.dataset.asks || form.dataset.sure) return;
    event.preventDefault();
    const dialog = document.getElementById("ask-dialog");
    document.getElementById("ask-text").textContent = form.dataset.asks;
    dialog.onclose = () => {
      if (dialog.returnValue !== "yes") return;
      form.dataset.sure = "yes";
      // a live update may have replaced the form meanwhile, and only a form of the page can be sent
      form.hidden = true;
      if (!form.isConnected) document.body.append(form);
      form.requestSubmit();
    };
    dialog.returnValue = "";
    openDialog(dialog);
  });

  // -- rows of a form: <div data-rows="prefix"> with <template>, counted by Django's TOTAL_FORMS
  function addRow(button) {
    const rows = document.querySelector(`[data-rows="${button.dataset.adds}"]`);
    const total = document.getElementById(`id_${button.dataset.adds}-TOTAL_FORMS`);
    const html = rows.querySelector("template").innerHTML.replaceAll("__prefix__", total.value);
    rows.insertAdjacentHTML("beforeend", html);
    total.value = Number(total.value) + 1;
    const row = rows.lastElementChild;
    update();
    row.querySelector("select, input").focus();
  }

  function removeRow(button) {
    const row = button.closest("[data-row]");
    const mark = row.querySelector('input[name$="-DELETE"]');
    mark.value = "on";
    row.hidden = true;
    for (const field of row.querySelectorAll("[required]")) field.required = false;
  }

  // -- a part shown only for one choice: data-when="<name of the field>=<value>" within the same row or form
  function showParts(root) {
    for (const part of root.querySelectorAll("[data-when]")) {
      const [name, value] = part.dataset.when.split("=");
      const scope = part.closest("[data-row]") || document;
      const field = scope.querySelector(`[name$="${name}"]:checked, select[name$="${name}"]`);
      part.hidden = !field || field.value !== value;
    }
  }

  // -- options of another zone cannot be chosen: <option data-zone="...">
  function narrowToZone() {
    const zone = document.querySelector("select[data-zone-source]");
    if (!zone) return;
    for (const option of document.querySelectorAll("option[data-zones]")) {
      const fits = !zone.value || option.dataset.zones.split(" ").includes(zone.value);
      option.disabled = option.hidden = !fits;
      if (!fits && option.selected) {
        const other = [...option.parentElement.options].find((o) => !o.disabled);
        option.parentElement.value = other ? other.value : "";
      }
    }
  }

  function update() {
    narrowToZone();
    showParts(document);
  }
  document.addEventListener("change", update);
  update();

  // on a narrow screen the side navigation is a line that scrolls
  document.querySelector('.sidenav [aria-current="page"]')?.scrollIntoView({ block: "nearest", inline: "center" });

  // an error page of the server must not be put into a fragment; a session that ended goes to the sign-in page
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.xhr.status === 404 && event.detail.target.dataset.gone) {
      location.href = event.detail.target.dataset.gone;
    }
  });
})();

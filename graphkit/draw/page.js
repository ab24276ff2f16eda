"use strict";
(() => {
  const stage = document.getElementById("stage");
  const tip = document.getElementById("tip");
  const buttons = [...document.querySelectorAll("nav button")];
  let view, svg, scene, scale, x, y, pinned;

  const place = () => scene.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);

  function fit() {
    scale = 1; x = 0; y = 0;
    // A small graph is not blown up beyond its own size.
    const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
    const shown = Math.min(view.clientWidth / width, view.clientHeight / height);
    if (shown > 1.25) {
      scale = 1.25 / shown;
      x = width * (1 - scale) / 2;
      y = height * (1 - scale) / 2;
    }
    place();
  }

  function point(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  }

  function zoom(factor, at) {
    const next = Math.min(12, Math.max(0.15, scale * factor));
    x = at.x - (at.x - x) * next / scale;
    y = at.y - (at.y - y) * next / scale;
    scale = next;
    place();
  }

  function middle() {
    const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
    return { x: width / 2, y: height / 2 };
  }

  function show(part) {
    const list = document.createElement("dl");
    // What gives the answer away is told only after the answer was asked for.
    const told = view.classList.contains("told") || !stage.querySelector("details.answer");
    const root = part.querySelector(".root");
    const secret = told ? [] : root ? ["Answer", "Answers", "Hides"] : ["Fact"];
    let heading = "";
    for (const row of part.dataset.tip.split("\n")) {
      const at = row.indexOf("\t");
      heading = row.slice(0, at) || heading;
      if (secret.includes(heading)) continue;
      const term = document.createElement("dt");
      const text = document.createElement("dd");
      term.textContent = row.slice(0, at);
      text.textContent = row.slice(at + 1);
      text.dir = "auto";
      list.append(term, text);
    }
    tip.replaceChildren(list);
    tip.hidden = false;
    const box = part.getBoundingClientRect();
    const own = tip.getBoundingClientRect();
    const left = Math.min(Math.max(8, box.left + box.width / 2 - own.width / 2), innerWidth - own.width - 8);
    const above = box.top - own.height - 10;
    tip.style.left = `${left}px`;
    tip.style.top = `${above > 8 ? above : Math.min(box.bottom + 10, innerHeight - own.height - 8)}px`;
  }

  function hide() {
    if (!pinned) tip.hidden = true;
  }

  function unpin() {
    pinned = null;
    hide();
  }

  function open(number) {
    const template = document.getElementById(`sheet-${number}`);
    if (!template) return;
    stage.replaceChildren(template.content.cloneNode(true));
    buttons.forEach((button, index) => index === number ? button.setAttribute("aria-current", "true") : button.removeAttribute("aria-current"));
    view = stage.querySelector(".view");
    svg = view.querySelector("svg");
    scene = svg.querySelector(".scene");
    unpin();
    fit();
    const answer = stage.querySelector("details.answer");
    if (answer) answer.addEventListener("toggle", () => { view.classList.toggle("told", answer.open); fit(); });
    view.addEventListener("wheel", (event) => {
      event.preventDefault();
      unpin();
      zoom(Math.exp(-event.deltaY * 0.0015), point(event));
    }, { passive: false });
    let last = null;
    let moved = 0;
    view.addEventListener("pointerdown", (event) => { last = point(event); moved = 0; view.setPointerCapture(event.pointerId); });
    view.addEventListener("pointermove", (event) => {
      if (!last) return;
      const now = point(event);
      moved += Math.abs(now.x - last.x) + Math.abs(now.y - last.y);
      if (moved > 3) { view.classList.add("drag"); unpin(); }
      x += now.x - last.x;
      y += now.y - last.y;
      last = now;
      place();
    });
    const stop = (event) => {
      if (last && moved <= 3) {
        const part = document.elementFromPoint(event.clientX, event.clientY)?.closest(".part");
        pinned = part && part !== pinned ? part : null;
        if (pinned) show(pinned); else hide();
      }
      last = null;
      view.classList.remove("drag");
    };
    view.addEventListener("pointerup", stop);
    view.addEventListener("pointercancel", () => { last = null; view.classList.remove("drag"); });
    for (const part of svg.querySelectorAll(".part")) {
      part.addEventListener("pointerenter", () => { if (!last && !pinned) show(part); });
      part.addEventListener("pointerleave", hide);
      part.addEventListener("focus", () => { if (part.matches(":focus-visible")) show(part); });
      part.addEventListener("blur", hide);
    }
  }

  buttons.forEach((button, index) => button.addEventListener("click", () => {
    history.replaceState(null, "", `#${index + 1}`);
    open(index);
  }));
  document.getElementById("find").addEventListener("input", (event) => {
    const sought = event.target.value.toLocaleLowerCase();
    for (const button of buttons) button.parentElement.hidden = !button.textContent.toLocaleLowerCase().includes(sought);
  });
  for (const button of document.querySelectorAll("[data-do]")) {
    button.addEventListener("click", () => {
      unpin();
      if (button.dataset.do === "fit") fit(); else zoom(button.dataset.do === "in" ? 1.3 : 1 / 1.3, middle());
    });
  }
  addEventListener("keydown", (event) => {
    if (event.target.matches("input")) return;
    if (event.key === "+" || event.key === "=") zoom(1.2, middle());
    else if (event.key === "-") zoom(1 / 1.2, middle());
    else if (event.key === "0") fit();
    else if (event.key === "Escape") unpin();
    else return;
    event.preventDefault();
  });
  addEventListener("resize", fit);
  const wanted = Number(location.hash.slice(1));
  open(wanted >= 1 && wanted <= buttons.length ? wanted - 1 : 0);
})();

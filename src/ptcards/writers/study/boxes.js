// Draws the boxes of pictures, which a script of Anki draws on its cards: from the shapes in the same card.

const BOX_COLOURS = { cloze: "#ff8e8e", "cloze-inactive": "#ffeba2" };

function drawBoxes(root) {
  const picture = root.querySelector("#image-occlusion-container");
  if (!picture) return;
  root.querySelectorAll(".shapes").forEach((each) => { each.hidden = true; });
  Object.assign(picture.style, { position: "relative", width: "fit-content", maxWidth: "100%", maxHeight: "none", margin: "1em auto 0", lineHeight: "0" });
  picture.querySelector("canvas")?.remove();
  root.querySelector("#err")?.remove(); // what the script says of an Anki that cannot draw them
  const shapes = [...root.querySelectorAll("[data-shape]")];
  const labels = [...root.querySelectorAll(".labels > li")];
  for (const [number, shape] of shapes.entries()) {
    const isAsked = !shape.classList.contains("cloze-inactive");
    if (!isAsked && shape.dataset.occludeinactive !== "1") continue;
    const box = boxOf(shape);
    if (box) picture.append(box);
    if (box && labels[number]) box.title = labels[number].textContent.trim();
    if (shape.classList.contains("cloze-highlight") && labels[number]) showLabel(picture, labels[number]);
  }
  const toggle = root.querySelector("#toggle");
  if (toggle) toggle.onclick = () => picture.querySelectorAll("button").forEach((box) => { box.hidden = !box.hidden; });
}

// Returns a box as a button that shows what is below it; nothing for a shape that hides nothing.
function boxOf({ dataset, classList }) {
  const part = (name, times = 1) => `${Number(dataset[name] || 0) * 100 * times}%`;
  const corner = (point) => point.split(",").map((side) => `${Number(side) * 100}%`).join(" ");
  const corners = (dataset.points ?? "").split(" ").filter(Boolean).map(corner);
  const shape = {
    rect: { left: part("left"), top: part("top"), width: part("width"), height: part("height") },
    ellipse: { left: part("left"), top: part("top"), width: part("rx", 2), height: part("ry", 2), borderRadius: "50%" },
    polygon: { inset: "0", width: "100%", height: "100%", clipPath: `polygon(${corners})` },
  }[dataset.shape];
  if (!shape) return null;
  const box = document.createElement("button");
  box.type = "button";
  box.setAttribute("aria-label", `□ ${dataset.ordinal}`);
  const border = classList.contains("cloze-highlight") ? "3px solid #d4373e" : "1px solid #212121";
  const turn = `${(Number(dataset.angle || 0) / 10000) * 360}deg`;
  const own = BOX_COLOURS[classList[0]] ?? "none";
  const look = { position: "absolute", boxSizing: "border-box", margin: "0", padding: "0", border, borderRadius: "0", background: own, rotate: turn, transformOrigin: "0 0" };
  Object.assign(box.style, look, shape);
  let isOpen = false;
  box.onclick = () => { box.style.background = (isOpen = !isOpen) ? "none" : own; };
  return box;
}

// The answer of a card is below its picture: the label of the box that it asked.
function showLabel(picture, label) {
  const shown = document.createElement("p");
  shown.append(...label.cloneNode(true).childNodes);
  Object.assign(shown.style, { textAlign: "center", fontWeight: "600" });
  picture.after(shown);
}

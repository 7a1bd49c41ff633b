// Draws the boxes of pictures, which a script of Anki draws on its cards: from the shapes in the same card.

const BOX_COLOURS = { cloze: "#ff8e8e", "cloze-inactive": "#ffeba2" };

function drawBoxes(root) {
  const picture = root.querySelector("#image-occlusion-container");
  if (!picture) return;
  root.querySelectorAll(".shapes").forEach((each) => { each.hidden = true; });
  Object.assign(picture.style, { position: "relative", width: "fit-content", maxWidth: "100%", maxHeight: "none", margin: "1em auto 0", lineHeight: "0" });
  picture.querySelector("canvas")?.remove();
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
  const part = (name) => Number(dataset[name] || 0) * 100;
  const isRound = dataset.shape === "ellipse";
  if (!["rect", "ellipse", "polygon"].includes(dataset.shape)) return null;
  const points = (dataset.points ?? "").split(" ").filter(Boolean).map((point) => point.split(",").map((each) => Number(each) * 100));
  const box = document.createElement("button");
  box.type = "button";
  box.setAttribute("aria-label", `□ ${dataset.ordinal}`);
  Object.assign(box.style, {
    position: "absolute",
    boxSizing: "border-box",
    left: points.length ? "0" : `${part("left")}%`,
    top: points.length ? "0" : `${part("top")}%`,
    width: points.length ? "100%" : `${isRound ? 2 * part("rx") : part("width")}%`,
    height: points.length ? "100%" : `${isRound ? 2 * part("ry") : part("height")}%`,
    margin: "0",
    padding: "0",
    border: "1px solid #212121",
    borderRadius: isRound ? "50%" : "0",
    background: BOX_COLOURS[classList[0]] ?? "none",
    rotate: `${(Number(dataset.angle || 0) / 10000) * 360}deg`,
    transformOrigin: "0 0",
    clipPath: points.length ? `polygon(${points.map(([x, y]) => `${x}% ${y}%`).join()})` : "",
  });
  if (classList.contains("cloze-highlight")) box.style.border = "3px solid #d4373e";
  const own = box.style.background;
  box.onclick = () => { box.style.background = box.style.background === own ? "none" : own; };
  return box;
}

// The answer of a card is below its picture: the label of the box that it asked.
function showLabel(picture, label) {
  const shown = document.createElement("p");
  shown.append(...label.cloneNode(true).childNodes);
  Object.assign(shown.style, { textAlign: "center", fontWeight: "600" });
  picture.after(shown);
}

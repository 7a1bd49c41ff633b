// Grading with a finger: swipe a card that shows its answer to the right if you knew it, otherwise to the left.

const FAR = 80; // pixels after which a swipe counts
const STEEP = 0.6;

function listenToSwipes() {
  let start = null;
  const pushed = (event) => [event.clientX - start.x, event.clientY - start.y];
  const move = (x) => $("card").style.setProperty("--pushed", `${x}px`);
  const tell = (x) => {
    const name = Math.abs(x) < FAR ? "" : x < 0 ? "again" : "good";
    Object.assign($("card").dataset, { swipe: name, word: name && say(name) });
  };
  const end = () => {
    start = null;
    move(0);
    tell(0);
  };
  $("card").addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "touch" || !event.isPrimary || scrollsSideways(event)) return;
    start = { x: event.clientX, y: event.clientY };
  });
  $("card").addEventListener("pointermove", (event) => {
    if (!start || !state.turned) return;
    const [x, y] = pushed(event);
    if (Math.abs(y) > Math.abs(x) * STEEP) return move(0);
    move(x);
    tell(x);
  });
  $("card").addEventListener("pointerup", (event) => {
    if (!start) return;
    const [x, y] = pushed(event);
    end();
    if (Math.abs(x) < FAR || Math.abs(y) > Math.abs(x) * STEEP) return;
    if (state.turned) grade(x < 0 ? "again" : "good");
    else turn();
  });
  $("card").addEventListener("pointercancel", end);
}

// Content that is wider than the card scrolls instead.
function scrollsSideways(event) {
  return event.composedPath().some((each) => each instanceof Element && each !== $("card") && each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX === "auto");
}

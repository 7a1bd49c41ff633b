// The theme puts each button that copies code into a landmark of its own, all without a name. They are no landmarks.
new MutationObserver(() => {
  for (const bar of document.querySelectorAll("nav.md-code__nav:not([role])")) bar.setAttribute("role", "none");
}).observe(document.documentElement, { childList: true, subtree: true });

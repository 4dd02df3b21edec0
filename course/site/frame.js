// In each widget's frame: tell the page how high the content is.
new ResizeObserver(() => {
  const { marginTop, marginBottom } = getComputedStyle(document.body);
  const height = document.body.scrollHeight + parseFloat(marginTop) + parseFloat(marginBottom);
  parent.postMessage({ courseFrameHeight: Math.ceil(height) }, "*");
}).observe(document.documentElement);

// Keys that lead somewhere: <a data-key="j">, <input data-key="/">. Not while one types.
{
  const isTyping = (target) =>
    target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;

  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping(event.target)) return;
    const found = [...document.querySelectorAll('[data-key]')].find(
      ({ dataset }) => dataset.key === event.key,
    );
    if (!found) return;
    event.preventDefault();
    if (found instanceof HTMLInputElement) {
      found.focus();
      found.select();
    } else found.click();
  });
}

// Keys that do something: <a data-key="j">, <input type="search" data-key="/">.
// Not while one types.
{
  const isTyping = (target) =>
    target instanceof Element &&
    target.closest('input:not([type=checkbox]), textarea, select, [contenteditable]') !== null;

  // On a Russian keyboard the key in the same place: it writes another letter.
  const places = { '/': 'Slash', j: 'KeyJ', k: 'KeyK', x: 'KeyX' };
  const isMeant = (key, event) =>
    event.key === key || (/^[а-яё.]$/i.test(event.key) && event.code === places[key]);

  addEventListener('keydown', (event) => {
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.isComposing ||
      isTyping(event.target)
    )
      return;
    const found = [...document.querySelectorAll('[data-key]')].find(({ dataset }) =>
      isMeant(dataset.key, event),
    );
    if (!found) return;
    event.preventDefault();
    if (found instanceof HTMLInputElement && found.type === 'search') {
      found.focus();
      found.select();
    } else found.click();
  });
}

// The theme switch, without leaving the page: a form that is half filled in stays.
const keptForS = 365 * 24 * 3600;

addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a[data-theme-to]') : null;
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const theme = link.getAttribute('data-theme-to') ?? '';
  document.documentElement.dataset.theme = theme;
  document.cookie = `theme=${theme}; path=/; max-age=${keptForS}; samesite=lax`;
  // The link that was used is hidden now: the focus goes to the one in its place.
  document.querySelector(`a[data-theme-to]:not([data-theme-to="${theme}"])`)?.focus();
});

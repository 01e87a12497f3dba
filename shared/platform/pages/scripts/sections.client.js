// Sections that do not fit scroll beside each other: the one that is open is in view.
{
  const current = document.querySelector('.sections a[aria-current]');
  const list = current?.closest('ul');
  if (list) list.scrollLeft = current.offsetLeft - (list.clientWidth - current.offsetWidth) / 2;
}

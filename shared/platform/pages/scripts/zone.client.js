// Times are shown in the zone that the browser is in, from the next page on.
{
  const keptForS = 365 * 24 * 3600;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  document.cookie = `zone=${timeZone}; path=/; max-age=${keptForS}; samesite=lax`;
}

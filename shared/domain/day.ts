/** A day in UTC, in milliseconds: it has no leap second and no daylight saving time. */
export const dayMs = 86_400_000;

type Fact = { name: string; value: string };

const maxFacts = 60;

/**
 * An object's leaves by their paths, such as `route.provider`, to show an event or a state as a
 * list. Indexes in lists of objects start at 1.
 */
export function flatten(value: unknown, skip: ReadonlySet<string> = new Set()): Fact[] {
  const facts: Fact[] = [];
  const visit = (each: unknown, path: string): void => {
    if (facts.length >= maxFacts || each === undefined || each === null || skip.has(path)) return;
    if (typeof each === 'object') {
      if (Array.isArray(each) && each.every((item) => typeof item !== 'object')) {
        if (each.length > 0) facts.push({ name: path, value: each.join(', ') });
        return;
      }
      for (const [key, member] of Object.entries(each)) {
        const name = Array.isArray(each) ? String(Number(key) + 1) : key;
        visit(member, path === '' ? name : `${path}.${name}`);
      }
      return;
    }
    facts.push({ name: path, value: typeof each === 'string' ? each : JSON.stringify(each) });
  };
  visit(value, '');
  return facts;
}

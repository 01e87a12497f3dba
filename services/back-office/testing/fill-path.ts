/** The path of a page with these parameters; a page with others needs them here first. */
export const fillPath = (pattern: string, parameters: Readonly<Record<string, string>>): string =>
  pattern.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = parameters[name];
    if (value === undefined) throw new Error(`no ${name} for ${pattern}`);
    return value;
  });

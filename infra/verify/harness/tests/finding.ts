/** A rule that was broken, with what shows it. */
export type BrokenRule = { readonly what: string; readonly shows?: unknown };

/** Reports that a rule is broken. */
export type Find = (what: string, shows?: unknown) => void;

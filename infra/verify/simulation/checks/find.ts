/** Says that a rule is broken, with what shows it. */
export type Find = (what: string, shows?: unknown) => void;

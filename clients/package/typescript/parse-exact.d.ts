/**
 * JSON, with an amount that is a number as its decimal text with two places: a receipt's may have
 * more digits than a float keeps. Nothing where it is no JSON.
 */
export declare function parseExact(text: string): unknown;

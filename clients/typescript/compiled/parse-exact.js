/**
 * JSON, with an amount that is a number as its decimal text with two places: a receipt's may have
 * more digits than a float keeps. Nothing where it is no JSON.
 */
export function parseExact(text) {
    const reviver = (key, value, context) => key === 'amount' && typeof value === 'number'
        ? withTwoPlaces(context?.source ?? String(value))
        : value;
    try {
        return JSON.parse(text, reviver);
    }
    catch {
        return undefined;
    }
}
/** `60.5` as `60.50`. What is written in another way, such as `1e3`, stays. */
function withTwoPlaces(source) {
    const [, whole, places = ''] = /^(-?\d+)(?:\.(\d{1,2}))?$/.exec(source) ?? [];
    return whole === undefined ? source : `${whole}.${places.padEnd(2, '0')}`;
}

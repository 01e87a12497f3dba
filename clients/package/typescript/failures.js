/** A failure for those who would rather catch than ask. */
export class GatewayError extends Error {
    failure;
    constructor(failure) {
        super(`${failure.code}: ${failure.detail} (request ${failure.requestId})`);
        this.name = 'GatewayError';
        this.failure = failure;
    }
}
/** What the call answered. @throws GatewayError when it failed */
export function orThrow(result) {
    if (result.ok)
        return result.data;
    throw new GatewayError(result.error);
}

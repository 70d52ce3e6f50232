/**
 * Every bound that the contract itself fixes.
 *
 * Rates, quote lifetimes and money limits are a deployment's own and are read from `GET /v1/limits`.
 */
export const Limits = {
  /** The greatest length of an idempotency key, in characters. */
  idempotencyKeyLengthMax: 255,
  /**
   * The greatest length of a path parameter as it stands in the URL: an idempotency key with every character escaped.
   *
   * Give it to the router as `maxParamLength`, whose default of 100 would not find longer keys.
   */
  pathParameterLengthMax: 765,
  /** The greatest length of an `X-Request-Id` that is kept, in visible ASCII characters. */
  requestIdLengthMax: 128,
  /** The greatest size of a request body, in bytes. */
  bodyBytesMax: 1_048_576,
  /** The greatest number of addresses in one registration. */
  addressesPerRegistrationMax: 500,
  /** The greatest number of addresses derived or issued by one call. */
  addressesPerCallMax: 100,
  /** How long `watch-now` reads an address every minute, in minutes. */
  watchNowWindowMinutes: 60,
  /** The width of the sliding rate-limit window, in seconds. */
  rateWindowSeconds: 60,
  /** How far a webhook's timestamp may be from now, in seconds. */
  webhookToleranceSeconds: 300,
  /** The greatest length of a network's name. */
  networkLengthMax: 20,
  /** The greatest length of a reference. */
  referenceLengthMax: 200,
  /** The greatest length of an on-chain address. */
  addressLengthMax: 128,
  /** The greatest length of a currency code. */
  currencyLengthMax: 32,
  /** The greatest length of an amount's text. */
  amountLengthMax: 80,
  /** The greatest length of a destination memo or tag. */
  memoLengthMax: 256,
  /** The greatest length of a free text such as a reason, a label or a name. */
  textLengthMax: 500,
  /** The greatest length of a `kind` or `status` filter. */
  codeLengthMax: 64,
  /** The greatest length of an opaque cursor. */
  cursorLengthMax: 2_000
} as const

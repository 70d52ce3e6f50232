import { KMSClient } from "@aws-sdk/client-kms"
import { CustodyKeyUnknown, CustodyRefused, CustodyUnavailable } from "@bursar/core/port/KeyCustody"
import { Effect, type Scope, Semaphore } from "effect"
import { custodyName, type KmsOptions } from "../KmsOptions.ts"

const attemptsMaxDefault = 4
const timeoutMsDefault = 10_000
const concurrencyMaxDefault = 32

/** Refusals that stand until somebody changes something: rights, the state of a key, what was asked. */
const refusals: ReadonlySet<string> = new Set([
  "AccessDeniedException",
  "CredentialsProviderError",
  "DisabledException",
  "ExpiredTokenException",
  "IncompleteSignature",
  "IncorrectKeyException",
  "InvalidAliasNameException",
  "InvalidArnException",
  "InvalidCiphertextException",
  "InvalidClientTokenId",
  "InvalidGrantTokenException",
  "InvalidKeyUsageException",
  "InvalidSignatureException",
  "KMSInvalidStateException",
  "LimitExceededException",
  "MalformedPolicyDocumentException",
  "MissingAuthenticationTokenException",
  "TagException",
  "UnrecognizedClientException",
  "UnsupportedOperationException",
  "ValidationException"
])

/** How a call ended. The words of the service are not told: they name accounts and roles. */
export interface KmsFailure {
  readonly _tag: "KmsFailure"
  /** The error's name, such as `ThrottlingException`. */
  readonly code: string
}

const failureOf = (thrown: unknown): KmsFailure => ({
  _tag: "KmsFailure",
  code: thrown instanceof Error && /^[A-Za-z]{1,64}$/u.test(thrown.name) ? thrown.name : "unknown"
})

/** What a failure means to those who asked for a key. */
export const custodyError = (
  { doing, keyId }: { readonly doing: string; readonly keyId?: string },
  { code }: KmsFailure
): CustodyUnavailable | CustodyRefused | CustodyKeyUnknown => {
  if (code === "NotFoundException" && keyId !== undefined) return new CustodyKeyUnknown({ custody: custodyName, keyId })
  const told = { custody: custodyName, doing, reason: `KMS answered ${code}` }
  return refusals.has(code) || code === "NotFoundException" ? new CustodyRefused(told) : new CustodyUnavailable(told)
}

/** Makes one call, with the SDK's own retries; fewer than a bound are under way at once. */
export type Ask = <A>(
  call: (client: KMSClient, options: { abortSignal: AbortSignal }) => Promise<A>
) => Effect.Effect<A, KmsFailure>

const isLocal = (url: URL): boolean => ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname)

/** A client for as long as the scope lives. Refused: an endpoint without TLS that is not on this machine. */
export const makeAsk = Effect.fnUntraced(function* (
  options: KmsOptions
): Effect.fn.Return<Ask, CustodyRefused, Scope.Scope> {
  const { attemptsMax = attemptsMaxDefault, endpoint, region, timeoutMs = timeoutMsDefault } = options
  const url = endpoint === undefined ? undefined : URL.parse(endpoint)
  if (url === null || (url !== undefined && url.protocol !== "https:" && !(url.protocol === "http:" && isLocal(url)))) {
    return yield* new CustodyRefused({
      custody: custodyName,
      doing: "reach KMS",
      reason: "the endpoint must start with https://, or http:// to this machine"
    })
  }
  const client = yield* Effect.acquireRelease(
    Effect.sync(
      () =>
        new KMSClient({
          region,
          maxAttempts: attemptsMax,
          retryMode: "standard",
          requestHandler: { connectionTimeout: timeoutMs, requestTimeout: timeoutMs, throwOnRequestTimeout: true },
          ...(url === undefined ? {} : { endpoint: url.href })
        })
    ),
    (open) => Effect.sync(() => open.destroy())
  )
  const permits = yield* Semaphore.make(options.concurrencyMax ?? concurrencyMaxDefault)
  return (call) =>
    permits.withPermits(1)(Effect.tryPromise({ try: (abortSignal) => call(client, { abortSignal }), catch: failureOf }))
})

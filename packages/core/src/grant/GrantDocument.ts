import { Result, Schema } from "effect"
import { ApproverSet } from "./ApproverSet.ts"
import { environments } from "../base/Environment.ts"
import { canonicalText } from "./canonical.ts"
import {
  base64Url,
  Digits,
  Hash,
  KeyId,
  Moment,
  Name,
  readable,
  readableSome,
  Units,
  UnitsMax,
  Uuid
} from "./fields.ts"
import { PolicyValues } from "./PolicyValues.ts"

/** The version of the documents. It is hashed in front of each, so that no other text can be mistaken for one. */
export const grantVersion = "bursar.grant.v1"

/** The most bytes that a document may have. */
export const grantBytesMax = 16_384

/** For how long a proposal may stand open. */
export const proposalLifetimeMsMax = 31 * 86_400_000

const Standing = Schema.Literals(["ACTIVE", "REVOKED"])

/**
 * A partner's API key: whose it is (the chain's tenant), what it may do and for how long, and the keyed hash of the secret, which stands
 * nowhere. What is revoked stays so.
 */
export const ApiKeyValues = Schema.Struct({
  id: Name,
  environment: Schema.Literals(environments),
  /** What is shown of the key: all that comes before its secret. */
  prefix: Name,
  label: readable(200),
  scopes: Schema.Array(Name).check(Schema.isMaxLength(200)),
  expires_at: Schema.NullOr(Moment),
  hash: Hash,
  state: Standing
})

/** A partner's public key, bound to an API key of its own. What is revoked stays so. */
export const SigningKeyValues = Schema.Struct({
  api_key_id: Name,
  keyid: KeyId,
  public_key: base64Url(43, 43),
  state: Standing
})

/** Where a tenant's withdrawals of a currency go. It receives from `usable_from` on, and takes the place of the one before. */
export const DestinationValues = Schema.Struct({
  id: Name,
  currency: Name,
  network: Name,
  address: readableSome(200),
  memo: Schema.NullOr(readableSome(200)),
  label: readable(200),
  usable_from: Moment,
  state: Standing
})

/** An account of the service itself that it pays a tenant's payouts from, and that sweeps go to. */
export const PayoutWalletValues = Schema.Struct({
  network: Name,
  role: Schema.Literals(["PAYOUT", "CHANNEL"]),
  address: readableSome(200),
  state: Standing
})

/** The account that a tenant's addresses of a family of networks are issued from: what is shown must be derived from it. */
export const IssuingAccountValues = Schema.Struct({
  family: Name,
  seed_id: Name,
  account_key: readableSome(256),
  state: Standing
})

const unitsOrAll = Schema.NullOr(UnitsMax)

/**
 * The most of a currency that chain payouts of a tenant pay, in base units; null is no limit. The signer counts it by itself: unlike a limit in
 * US dollars it takes no price.
 */
export const CurrencyLimitValues = Schema.Struct({
  currency: Name,
  per_payment: unitsOrAll,
  per_hour: unitsOrAll,
  per_day: unitsOrAll
})

/** Whether everything of a tenant that leaves is stopped. */
export const SuspensionValues = Schema.Struct({ suspended: Schema.Boolean, reason: readable(500) })

/** Whether everything that leaves on a network, or from the place of a provider such as `custodian:kraken`, is stopped, of all tenants. */
export const NetworkValues = Schema.Struct({ network: Name, stopped: Schema.Boolean, reason: readable(500) })

/**
 * A correction of a float: above zero adds to it, below takes from it. With `from`, the value moves from that place to `against` and the float
 * stays. With `assigns`, it gives what that operation left in suspense. With `corrects`, it corrects what that operation has booked with a provider. Each is booked once, by its id.
 */
export const AdjustmentValues = Schema.Struct({
  id: Name,
  currency: Name,
  units: Units,
  against: Name,
  from: Schema.optionalKey(Name),
  assigns: Schema.optionalKey(Uuid),
  corrects: Schema.optionalKey(Uuid),
  reason: readableSome(500)
})

/**
 * An operation that was held for people to look at, and that may leave as it is here: all that says how much of what goes where. What differs
 * in anything by the time that it leaves was approved by nobody.
 */
export const ReviewValues = Schema.Struct({
  operation_id: Uuid,
  /** What it is, such as CHAIN_PAYOUT. */
  product: Name,
  units: UnitsMax,
  currency: Name,
  network: Schema.NullOr(Name),
  /** Who carries it out; null for the service itself. */
  provider: Schema.NullOr(Name),
  /** Who receives it, by the fields of an address or an account. */
  receiver: Schema.Record(Name, readableSome(500)),
  /** What else the order says, such as the currency that is received. */
  terms: Schema.Record(Name, readableSome(500))
})

/** The approvers of a newer state of the fleet's confirm all that stands on a tenant's chain. */
export const AdoptionValues = Schema.Struct({})

/** The values of each kind of grant. */
export const valuesSchemas = {
  approvers: ApproverSet,
  network: NetworkValues,
  api_key: ApiKeyValues,
  signing_key: SigningKeyValues,
  destination: DestinationValues,
  policy: PolicyValues,
  payout_wallet: PayoutWalletValues,
  issuing_account: IssuingAccountValues,
  currency_limit: CurrencyLimitValues,
  suspension: SuspensionValues,
  adjustment: AdjustmentValues,
  review: ReviewValues,
  adoption: AdoptionValues
} as const

/** A kind of grant. */
export type GrantKind = keyof typeof valuesSchemas

/** The kinds of grants that stand on the chain of the fleet; all others stand on the chain of a tenant. */
export const fleetKinds: ReadonlySet<GrantKind> = new Set<GrantKind>(["approvers", "network"])

/** The values of a kind of grant. */
export type GrantValues<K extends GrantKind> = (typeof valuesSchemas)[K]["Type"]

/** A grant of a chain, by its place and its hash. */
export const GrantRef = Schema.Struct({ number: Digits, hash: Hash })

const documentOf = <K extends GrantKind>(kind: K) =>
  Schema.Struct({
    version: Schema.Literal(grantVersion),
    /** Null on the chain of the fleet. */
    tenant: Schema.NullOr(Uuid),
    /** The place in the chain, from 1. */
    number: Digits,
    /** The hash of the grant before; of the first, the hash of root and chain (`genesisOf`). */
    previous: Hash,
    /** The state of the fleet's chain by whose approvers it is judged; null on the chain of the fleet, which judges itself. */
    fleet: Schema.NullOr(GrantRef),
    kind: Schema.Literal(kind),
    /** What it is about. It follows from the values (`subjectOf`), and a later grant of the same subject replaces it. */
    subject: Name,
    values: valuesSchemas[kind],
    /** Why, in words of the proposer. */
    note: readable(500),
    proposed_by: Name,
    proposed_at: Moment,
    expires_at: Moment
  })

/** A grant of any kind, as it is signed. */
export const GrantDocument = Schema.Union([
  documentOf("approvers"),
  documentOf("network"),
  documentOf("api_key"),
  documentOf("signing_key"),
  documentOf("destination"),
  documentOf("policy"),
  documentOf("payout_wallet"),
  documentOf("issuing_account"),
  documentOf("currency_limit"),
  documentOf("suspension"),
  documentOf("adjustment"),
  documentOf("review"),
  documentOf("adoption")
])

/** A grant of any kind, as it is signed. */
export type GrantDocument = typeof GrantDocument.Type

/** The grants of a kind. */
export type GrantOf<K extends GrantKind> = Extract<GrantDocument, { readonly kind: K }>

/** What a grant is about, from its kind and its values alone. */
export const subjectOf = (one: KindAndValues): string => {
  switch (one.kind) {
    case "approvers":
    case "policy":
    case "suspension":
    case "adoption":
      return one.kind
    case "network":
      return one.values.network
    case "signing_key":
      return `${one.values.api_key_id}|${one.values.keyid}`
    case "payout_wallet":
      return `${one.values.network}|${one.values.address}`
    case "issuing_account":
      return `${one.values.family}|${one.values.seed_id}`
    case "currency_limit":
      return one.values.currency
    case "api_key":
    case "destination":
    case "adjustment":
      return one.values.id
    case "review":
      return one.values.operation_id
  }
}

/** The bytes of a document, in its one writing. */
export const grantText = (document: GrantDocument): string => canonicalText(document)

const utf8 = new TextEncoder()

const readSchema = Schema.decodeUnknownResult(GrantDocument, { onExcessProperty: "error" })

const valuesOf = <K extends GrantKind>(kind: K) =>
  Schema.Struct({ kind: Schema.Literal(kind), values: valuesSchemas[kind] })

const KindAndValues = Schema.Union([
  valuesOf("approvers"),
  valuesOf("network"),
  valuesOf("api_key"),
  valuesOf("signing_key"),
  valuesOf("destination"),
  valuesOf("policy"),
  valuesOf("payout_wallet"),
  valuesOf("issuing_account"),
  valuesOf("currency_limit"),
  valuesOf("suspension"),
  valuesOf("adjustment"),
  valuesOf("review"),
  valuesOf("adoption")
])

/** Values of a grant with their kind. */
export type KindAndValues = typeof KindAndValues.Type

/** Reads the values of a grant that somebody wants to propose. Fails with what is wrong, in words for whoever wrote them. */
export const readValues = (given: unknown): Result.Result<KindAndValues, string> =>
  Result.mapError(
    Schema.decodeUnknownResult(KindAndValues, { onExcessProperty: "error" })(given),
    ({ message }) => message
  )

/** Why a text is no document: it is too long, reads as none, or is not in its one writing. */
export interface Unreadable {
  readonly code: "oversize" | "unreadable" | "not_canonical"
  readonly message: string
}

const parsed = (text: string): Result.Result<unknown, Unreadable> =>
  Result.try({
    try: (): unknown => JSON.parse(text),
    catch: () => ({ code: "unreadable" as const, message: "it is not JSON" })
  })

/** Reads a document from its one writing. What is written any other way is refused, so that one text has one meaning and one hash. */
export const readGrant = (text: string): Result.Result<GrantDocument, Unreadable> =>
  Result.gen(function* () {
    if (text.length > grantBytesMax || utf8.encode(text).length > grantBytesMax)
      return yield* Result.fail({ code: "oversize" as const, message: `it has more than ${grantBytesMax} bytes` })
    const document = yield* Result.mapError(readSchema(yield* parsed(text)), (error) => ({
      code: "unreadable" as const,
      message: `it reads as no grant: ${error.message}`
    }))
    return grantText(document) === text
      ? document
      : yield* Result.fail({ code: "not_canonical" as const, message: "it is not in its canonical writing" })
  })

import { AuditSeal } from "@bursar/core/audit/AuditSeal"
import { AuditBroken } from "@bursar/core/port/AuditSealer"
import { ProofRefused } from "@bursar/core/port/ReserveProver"
import { messageFormats } from "@bursar/core/money/Network"
import { UnknownCustody, VaultError, WrappedKeyUnreadable, wrappingAlgorithms } from "@bursar/core/port/Vault"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"

/** The longest body that a signer reads: a transaction with the requests of all its payments. */
export const bodyMaxBytes = 8 * 2 ** 20

const short = Schema.String.check(Schema.isMaxLength(256))
const long = Schema.String.check(Schema.isMaxLength(2_048))
const index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 31 - 1 }))
const tenantId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("TenantId"))

const ofSeed = { tenantId, seedId: short, network: short, index }

/** Which key is meant. */
export const KeyRef = Schema.Union([
  Schema.Struct({ _tag: Schema.tag("Wallet"), ...ofSeed }),
  Schema.Struct({ _tag: Schema.tag("Issued"), ...ofSeed }),
  Schema.Struct({ _tag: Schema.tag("Imported"), tenantId, keyId: short, network: short }),
  Schema.Struct({ _tag: Schema.tag("Custodied"), tenantId, network: short, custody: short, keyId: long })
])

const Keyed = Schema.Struct({ address: short, key: KeyRef })

const Request = Schema.Struct({
  keyid: short,
  signatureBase: Schema.String,
  signature: Schema.String,
  body: Schema.String,
  approvedAt: Schema.optionalKey(Schema.Number)
})

/** A transaction to be signed. */
export const SignTransaction = Schema.Struct({
  tenantId,
  network: short,
  unsigned: Schema.Uint8ArrayFromBase64,
  signers: Schema.Array(Keyed),
  own: Schema.Array(Keyed),
  requests: Schema.Array(Request),
  known: Schema.optionalKey(Schema.Array(short)),
  until: Schema.optionalKey(Schema.Number)
})

const Utxo = Schema.Struct({
  txHash: short,
  vout: index,
  units: Schema.BigInt,
  address: short,
  publicKey: Schema.optionalKey(short)
})

const Guard = Schema.Union([
  Schema.Struct({ _tag: Schema.tag("Sequence"), account: short, sequence: Schema.BigInt }),
  Schema.Struct({ _tag: Schema.tag("Utxos"), utxos: Schema.Array(Utxo) }),
  Schema.Struct({ _tag: Schema.tag("Expiry") })
])

/** Whose signatures are asked for. */
export const SignaturesOf = Schema.Struct({ tenantId, network: short, guard: Guard, requests: Schema.Array(Request) })

const Memo = Schema.Struct({ type: Schema.Literals(["text", "id", "hash", "return"]), value: Schema.String })

/** What a transaction moves. */
const Moves = Schema.Struct({
  payments: Schema.Array(
    Schema.Struct({
      to: Schema.String,
      contract: Schema.NullOr(Schema.String),
      units: Schema.BigInt,
      memo: Schema.NullOr(Memo)
    })
  ),
  trustlines: Schema.optionalKey(Schema.Array(Schema.Struct({ account: Schema.String, contract: Schema.String })))
})

/** A transaction that was signed before. */
export const EarlierSignature = Schema.Struct({
  hash: Schema.String,
  raw: Schema.Uint8ArrayFromBase64,
  validUntil: Schema.NullOr(Schema.Number),
  feeMax: Schema.NullOr(Schema.BigInt),
  moves: Schema.optionalKey(Moves),
  shares: Schema.Literals(["same", "guard", "requests"]),
  guardToo: Schema.optionalKey(Schema.Boolean)
})

/** A secret that the vault has made and sealed, for whoever asked to store. */
export const Sealed = Schema.Struct({
  tenantId,
  id: short,
  kind: Schema.Literals(["SEED", "IMPORTED", "WRAPPING"]),
  sealed: Schema.String,
  createdAt: Schema.Number
})

const failed = VaultError.pipe(HttpApiSchema.status(503))
const unproven = ProofRefused.pipe(HttpApiSchema.status(422))
const unknownCustody = UnknownCustody.pipe(HttpApiSchema.status(422))
const unreadable = WrappedKeyUnreadable.pipe(HttpApiSchema.status(422))

const broken = AuditBroken.pipe(HttpApiSchema.status(422))

const ofTenant = Schema.Struct({ tenantId })

/** What a signer does for the other processes. */
export class SignerGroup extends HttpApiGroup.make("signer").add(
  HttpApiEndpoint.post("signed", "/v1/signed", {
    payload: SignaturesOf,
    success: Schema.Struct({ signatures: Schema.Array(EarlierSignature) }),
    error: failed
  }),
  HttpApiEndpoint.post("seed", "/v1/seed", {
    payload: ofTenant,
    success: Schema.Struct({ id: Schema.String, made: Schema.NullOr(Sealed) }),
    error: failed
  }),
  HttpApiEndpoint.post("wrappingKey", "/v1/wrapping-key", {
    payload: ofTenant,
    success: Schema.Struct({
      id: Schema.String,
      publicKey: Schema.String,
      createdAt: Schema.Number,
      made: Schema.NullOr(Sealed)
    }),
    error: failed
  }),
  HttpApiEndpoint.post("publicAccount", "/v1/public-account", {
    payload: Schema.Struct({ tenantId, seedId: short, network: short }),
    success: Schema.Struct({ account: Schema.String }),
    error: failed
  }),
  HttpApiEndpoint.post("publicKey", "/v1/public-key", {
    payload: Schema.Struct({ key: KeyRef }),
    success: Schema.Struct({ publicKey: Schema.Uint8ArrayFromBase64 }),
    error: failed
  }),
  HttpApiEndpoint.post("createCustodyKey", "/v1/custody-key", {
    payload: Schema.Struct({ tenantId, network: short, custody: short, index }),
    success: Schema.Struct({ keyId: Schema.String, publicKey: Schema.Uint8ArrayFromBase64 }),
    error: [unknownCustody, failed]
  }),
  HttpApiEndpoint.post("importKey", "/v1/import-key", {
    payload: Schema.Struct({
      tenantId,
      keyId: short,
      network: short,
      bytes: Schema.Uint8ArrayFromBase64,
      algorithm: Schema.Literals(wrappingAlgorithms)
    }),
    success: Schema.Struct({ publicKey: Schema.Uint8ArrayFromBase64, sealed: Schema.String }),
    error: [unreadable, failed]
  }),
  HttpApiEndpoint.post("proveReserve", "/v1/reserve-proof", {
    payload: Schema.Struct({
      key: KeyRef,
      network: short,
      address: short,
      service: short,
      snapshotId: short,
      commitment: short,
      takenAt: short
    }),
    success: Schema.Struct({
      format: Schema.Literals(messageFormats),
      message: Schema.String,
      signature: Schema.String
    }),
    error: [unproven, failed]
  }),
  HttpApiEndpoint.post("signDocument", "/v1/solvency-document", {
    payload: Schema.Struct({ service: short, snapshotId: short, digest: short, takenAt: short }),
    success: Schema.Struct({ key: Schema.String, signature: Schema.String }),
    error: failed
  }),
  HttpApiEndpoint.post("receivesFrom", "/v1/destination", {
    payload: Schema.Struct({ tenantId, id: short, hash: short }),
    success: Schema.Struct({ from: Schema.Number }),
    error: failed
  }),
  HttpApiEndpoint.post("sealAudit", "/v1/audit/seal", {
    payload: Schema.Struct({ after: index }),
    success: Schema.Struct({ seal: Schema.NullOr(AuditSeal) }),
    error: [broken, failed]
  }),
  HttpApiEndpoint.post("verifyAudit", "/v1/audit/verify", {
    payload: Schema.Struct({}),
    success: Schema.Struct({ seal: Schema.NullOr(AuditSeal) }),
    error: [broken, failed]
  })
) {}

/** The interface of the signer, which only `bursar serve` and `bursar work` call. */
export class SignerApi extends HttpApi.make("signer")
  .add(SignerGroup)
  .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" }) {}

import { Effect, Schema } from "effect"
import { Timestamp } from "../wire/Timestamp.ts"
import { Uuid } from "../wire/Uuid.ts"
import { sha256 } from "../signature/sha256.ts"
import { canonicalJson } from "./canonicalJson.ts"
import { toHex } from "./hex.ts"
import { solvencyFormat, unitsMax } from "./preimages.ts"

const units = Schema.String.check(
  Schema.isPattern(/^(?:0|[1-9]\d{0,38})$/u, { expected: "a whole number in decimal" }),
  Schema.makeFilter((text) => BigInt(text) <= unitsMax, { expected: "less than 2^128" })
)

/** An amount in base units, as a decimal number. */
export const UnitsText = units.annotate({
  identifier: "SolvencyUnits",
  description: "An amount in base units of its currency, as a whole decimal number below 2^128."
})

/** The difference of two amounts in base units, as a decimal number that may be negative. */
const SignedUnitsText = Schema.String.check(
  Schema.isPattern(/^(?:0|-?[1-9]\d{0,40})$/u, { expected: "a whole number in decimal" })
)

/** 32 bytes as lower-case hexadecimal. */
export const HashText = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{64}$/u, { expected: "64 hexadecimal digits in lower case" })
)

const Name = Schema.String.check(
  Schema.isPattern(/^[\u0021-\u007e]{1,255}$/u, { expected: "printable characters without spaces" })
)

/** One line: what is signed must not be given more lines by what it names. */
const Line = Schema.String.check(
  Schema.isPattern(/^[^\p{Cc}\p{Zl}\p{Zp}]{1,500}$/u, { expected: "one line without control characters" })
)

const whole = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))

/** What all tenants together are owed in a currency, as the root of their sum tree. */
export const Liability = Schema.Struct({
  currency: Name,
  leaves: whole,
  depth: whole,
  root: HashText,
  total: UnitsText
}).annotate({ identifier: "SolvencyLiability" })
/** What all tenants together are owed in a currency. */
export type Liability = typeof Liability.Type

/** An address that the service says to hold the key of, with what it held at a block. */
export const Reserve = Schema.Struct({
  network: Name,
  chain_id: Line,
  address: Name,
  block_number: whole,
  block_hash: Name,
  holdings: Schema.Array(
    Schema.Struct({
      currency: Name,
      contract: Schema.NullOr(Name).annotate({
        description: "The contract or issuer of the asset; null for the native asset."
      }),
      units: UnitsText
    })
  ),
  proof: Schema.NullOr(
    Schema.Struct({
      format: Schema.Literals(["EIP-191", "TIP-191", "BIP-322", "SEP-53"]),
      message: Schema.String,
      signature: Schema.String
    })
  ),
  unproven: Schema.NullOr(Line).annotate({ description: "Why there is no signature; null where there is one." })
}).annotate({ identifier: "SolvencyReserve" })
/** An address with what it held at a block. */
export type Reserve = typeof Reserve.Type

/** An address that could not be read: it covers nothing. */
export const UnreadAddress = Schema.Struct({ network: Name, address: Name, reason: Line }).annotate({
  identifier: "SolvencyUnread"
})
/** An address that could not be read. */
export type UnreadAddress = typeof UnreadAddress.Type

/** What a custodian or a bank says it holds, in a file of its own that is named by its hash. */
export const Statement = Schema.Struct({
  place: Schema.Literals(["custodian", "bank"]),
  provider: Line,
  currency: Name,
  units: UnitsText,
  as_of: Timestamp,
  file: Line,
  sha256: HashText
}).annotate({ identifier: "SolvencyStatement" })
/** What a custodian or a bank says it holds. */
export type Statement = typeof Statement.Type

/** Reserves against liabilities in a currency. What is not proven covers nothing. */
export const Coverage = Schema.Struct({
  currency: Name,
  liabilities: UnitsText,
  proven: UnitsText.annotate({ description: "On addresses whose keys have signed." }),
  stated: UnitsText.annotate({ description: "By statements of custodians and banks." }),
  unproven: UnitsText.annotate({ description: "On addresses whose keys have not signed; not counted." }),
  unattributed: UnitsText.annotate({ description: "Arrived, and attributed to nobody yet: it covers nothing." }),
  difference: SignedUnitsText.annotate({
    description: "Proven and stated, less liabilities and what is unattributed."
  }),
  covered: Schema.Boolean
}).annotate({ identifier: "SolvencyCoverage" })
/** Reserves against liabilities in a currency. */
export type Coverage = typeof Coverage.Type

/** What liabilities are committed to with, before any key signs. */
const commitmentFields = {
  format: Schema.Literal(solvencyFormat),
  snapshot_id: Uuid,
  service: Line,
  environment: Schema.Literals(["LIVE", "SANDBOX"]),
  taken_at: Timestamp,
  currencies: Schema.Array(Schema.Struct({ currency: Name, decimals: whole })),
  liabilities: Schema.Array(Liability),
  unattributed: Schema.Array(Schema.Struct({ currency: Name, units: UnitsText })).annotate({
    description:
      "What arrived and is attributed to nobody yet, by the books: it is in no tree, and may be among the reserves."
  })
}

/** All that keys sign for: which snapshot it is, and what is owed by it. */
export const SolvencyCommitment = Schema.Struct(commitmentFields)
/** All that keys sign for. */
export type SolvencyCommitment = typeof SolvencyCommitment.Type

/** The public document of a snapshot, without its digest and signature. */
export const SolvencyContent = Schema.Struct({
  ...commitmentFields,
  commitment: HashText.annotate({ description: "SHA-256 of what stands before it, as canonical JSON." }),
  reserves: Schema.Array(Reserve),
  unread: Schema.Array(UnreadAddress),
  statements: Schema.Array(Statement),
  summary: Schema.Array(Coverage)
})
/** The public document of a snapshot, without its digest and signature. */
export type SolvencyContent = typeof SolvencyContent.Type

/** The signature of the service over a whole document, by its digest. */
export const DocumentSignature = Schema.Struct({
  key: HashText.annotate({ description: "The Ed25519 public key of the service for documents of snapshots." }),
  signature: Schema.String.check(
    Schema.isPattern(/^[0-9a-f]{128}$/u, { expected: "128 hexadecimal digits in lower case" })
  )
}).annotate({ identifier: "SolvencySignature" })
/** The signature of the service over a whole document. */
export type DocumentSignature = typeof DocumentSignature.Type

/** The public document of a snapshot: what is owed, and what is there. */
export const SolvencySnapshot = Schema.Struct({
  ...SolvencyContent.fields,
  digest: HashText.annotate({
    description: "SHA-256 of the document without this member and the signature, as canonical JSON."
  }),
  signature: DocumentSignature
}).annotate({ identifier: "SolvencySnapshot" })
/** The public document of a snapshot. */
export type SolvencySnapshot = typeof SolvencySnapshot.Type

const sha256Hex = (text: string): Effect.Effect<string> => Effect.map(sha256(new TextEncoder().encode(text)), toHex)

/** SHA-256 of what keys sign for. It stands in every message: no key's signature goes with other liabilities. */
export const commitmentOf = (of: SolvencyCommitment): Effect.Effect<string> => {
  const { currencies, environment, format, liabilities, service, snapshot_id, taken_at, unattributed } = of
  return sha256Hex(
    canonicalJson({ format, snapshot_id, service, environment, taken_at, currencies, liabilities, unattributed })
  )
}

/** SHA-256 of a document without its digest. */
export const documentDigest = (content: SolvencyContent): Effect.Effect<string> => {
  const {
    commitment,
    currencies,
    environment,
    format,
    liabilities,
    reserves,
    service,
    snapshot_id,
    statements,
    summary,
    taken_at,
    unattributed,
    unread
  } = content
  return sha256Hex(
    canonicalJson({
      format,
      snapshot_id,
      service,
      environment,
      taken_at,
      currencies,
      liabilities,
      unattributed,
      commitment,
      reserves,
      unread,
      statements,
      summary
    })
  )
}

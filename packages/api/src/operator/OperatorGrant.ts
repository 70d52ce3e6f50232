import { Schema } from "effect"
import { JsonObject } from "../errors/ErrorBody.ts"
import { text } from "../wire/Text.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { Uuid } from "../wire/Uuid.ts"

/** Which chain of grants: `fleet`, or the id of a tenant. */
export const GrantChain = Schema.Union([Schema.Literal("fleet"), Uuid]).annotate({
  description: "`fleet`, or the id of a tenant."
})

/** The longest canonical text of a document. */
const documentLengthMax = 16_384

/** The most approvals that a grant can bring along: as many as there may be approvers. */
const approvalsMax = 32

/** A person's word for a grant: a signature of a key file, or an assertion of a passkey whose challenge is the hash. */
export const GrantApproval = Schema.Union([
  Schema.Struct({ type: Schema.Literal("ed25519"), key: text(64), signature: text(100) }),
  Schema.Struct({
    type: Schema.Literal("passkey"),
    key: text(1_366),
    authenticator_data: text(1_024),
    client_data: text(2_048),
    signature: text(200)
  })
]).annotate({ identifier: "GrantApproval" })

/** A grant as it stands in its chain: verify it yourself, from your own root. */
export const OperatorGrantEntry = Schema.Struct({
  number: Schema.Int,
  hash: Schema.String,
  document: text(documentLengthMax).annotate({ description: "The canonical text that was hashed and signed." }),
  approvals: Schema.Array(GrantApproval),
  recorded_at: Timestamp
}).annotate({ identifier: "OperatorGrantEntry" })
/** A grant as it stands in its chain. */
export type OperatorGrantEntry = typeof OperatorGrantEntry.Type

/** Grants of a chain in their order. */
export const OperatorGrantEntryList = Schema.Struct({ entries: Schema.Array(OperatorGrantEntry) }).annotate({
  identifier: "OperatorGrantEntryList"
})

/** A value that a grant changes. */
const GrantChange = Schema.Struct({
  path: Schema.String,
  from: Schema.NullOr(Schema.String),
  to: Schema.NullOr(Schema.String)
}).annotate({
  identifier: "GrantChange",
  description:
    "Texts for people; null where the value was not there, or will not be. A value that is null in the document is `(null)`, as a memo that is not wanted, and a text that could be taken for something else stands in quotes."
})

/** A grant that an adoption confirms. */
const GrantConfirmed = Schema.Struct({
  number: Schema.Int,
  kind: Schema.String,
  subject: Schema.String,
  approved_by: Schema.Array(
    Schema.Struct({
      person: Schema.String,
      counts: Schema.Boolean.annotate({ description: "Whether the key still counts: false where it was removed." })
    })
  ),
  values: Schema.Array(GrantChange)
}).annotate({ identifier: "GrantConfirmed" })

/** A grant that people are asked to approve, or were. */
export const OperatorGrantProposal = Schema.Struct({
  id: Uuid,
  chain: GrantChain,
  number: Schema.Int,
  hash: Schema.String,
  document: text(documentLengthMax).annotate({
    description: "The canonical text that is signed. Hash it yourself before you approve."
  }),
  kind: Schema.String,
  subject: Schema.String,
  note: Schema.String,
  state: Schema.Literals(["OPEN", "EXPIRED", "OUTDATED", "GRANTED", "REJECTED"]).annotate({
    description:
      "OUTDATED: another grant was appended since, the approvers changed, or an operator has lowered what it would put back. Propose it again."
  }),
  outdated_because: Schema.NullOr(Schema.String).annotate({
    description: "Why nobody can approve it any more, for people; null unless it is OUTDATED."
  }),
  approvals: Schema.Array(Schema.Struct({ person: Schema.String, at: Timestamp })),
  approvals_needed: Schema.NullOr(Schema.Int).annotate({
    description: "How many people in all; null once the proposal can no longer be approved."
  }),
  changes: Schema.NullOr(Schema.Array(GrantChange)).annotate({
    description:
      "What it changes of the values that hold now; null once the proposal can no longer be approved. Of one that repeats its chain: what it puts back of what operators have lowered."
  }),
  in_force: Schema.NullOr(Schema.Array(GrantChange)).annotate({
    description:
      "Of a policy that takes the place of another, where operators have lowered values without a grant: what becomes of the values that hold, if that is not what `changes` says. Null for every other grant, and once the proposal can no longer be approved."
  }),
  repeats: Schema.Boolean.annotate({
    description:
      "Whether it says again what its chain says: a policy, a suspension or a network. Then it puts back whatever operators have lowered without a grant by the time of the last approval."
  }),
  confirms: Schema.NullOr(Schema.Array(GrantConfirmed)).annotate({
    description:
      "Of an adoption, the grants that it confirms, which removed keys could have added at any time; null for every other grant, and once the proposal can no longer be approved."
  }),
  proposed_by: Schema.String,
  proposed_at: Timestamp,
  expires_at: Timestamp,
  decided_by: Schema.NullOr(Schema.String),
  decided_at: Schema.NullOr(Timestamp),
  reason: Schema.NullOr(Schema.String)
}).annotate({ identifier: "OperatorGrantProposal" })
/** A grant that people are asked to approve, or were. */
export type OperatorGrantProposal = typeof OperatorGrantProposal.Type

/** The proposals of a chain: first all that are undecided and have not expired, then the newest others. Each newest first. */
export const OperatorGrantProposalList = Schema.Struct({ proposals: Schema.Array(OperatorGrantProposal) }).annotate({
  identifier: "OperatorGrantProposalList"
})

/** A grant to propose. */
export const ProposeGrant = Schema.Struct({
  kind: text(64),
  values: JsonObject,
  note: Schema.optionalKey(text(500)),
  expires_in_hours: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 744 }))).annotate({
    description: "72 if you leave it out."
  })
}).annotate({
  identifier: "ProposeGrant",
  examples: [{ kind: "suspension", values: { suspended: true, reason: "The partner asked for it." } }]
})

/** A person's word for a proposal. */
export const ApproveGrant = Schema.Struct({ approval: GrantApproval }).annotate({
  identifier: "ApproveGrant",
  examples: [
    {
      approval: {
        type: "ed25519",
        key: "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs",
        signature: "n5ti5LpOtxyv-_n8JX3P_i6a5DdqlM3t9WBbAf0pgd0l5a0SRV1kiCD3HTEmaA1QSXbDSMNT9A3cSdOLGNmtCw"
      }
    }
  ]
})

/** A grant that brings its approvals along. */
export const AppendGrant = Schema.Struct({
  document: text(documentLengthMax).annotate({ description: "The canonical text that was signed." }),
  approvals: Schema.Array(GrantApproval).check(Schema.isMaxLength(approvalsMax))
}).annotate({
  identifier: "AppendGrant",
  examples: [
    {
      document: "{…}",
      approvals: [
        {
          type: "ed25519",
          key: "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs",
          signature: "n5ti5LpOtxyv-_n8JX3P_i6a5DdqlM3t9WBbAf0pgd0l5a0SRV1kiCD3HTEmaA1QSXbDSMNT9A3cSdOLGNmtCw"
        }
      ]
    }
  ]
})

/** Rows of before grants, as grants would say them. */
export const OperatorGrantImport = Schema.Struct({
  contents: Schema.Array(Schema.Struct({ kind: Schema.String, values: JsonObject })).annotate({
    description: "What no grant says yet, in the order in which it is to be granted."
  }),
  left_out: Schema.Array(Schema.Struct({ what: Schema.String, reason: Schema.String })).annotate({
    description: "What cannot be granted as it is."
  })
}).annotate({ identifier: "OperatorGrantImport" })

/** Why a proposal is rejected. */
export const RejectGrant = Schema.Struct({ reason: text(500) }).annotate({
  identifier: "RejectGrant",
  examples: [{ reason: "The partner denies the key." }]
})

/** Who may approve now, and how many of them what takes. */
export const OperatorApprovers = Schema.Struct({
  approvers: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      name: Schema.String,
      keys: Schema.Array(Schema.Struct({ type: Schema.Literals(["ed25519", "passkey"]), key: Schema.String }))
    })
  ),
  quorum: Schema.Int,
  quorums: Schema.Record(Schema.String, Schema.Int),
  relying_party: Schema.NullOr(Schema.Struct({ rp_id: Schema.String, origins: Schema.Array(Schema.String) })).annotate({
    description: "Where passkeys are used; null where they are not."
  })
}).annotate({ identifier: "OperatorApprovers" })

/** Whether all chains hold, with the last grant of each. */
export const OperatorGrantReport = Schema.Struct({
  ok: Schema.Boolean,
  chains: Schema.Array(
    Schema.Struct({
      chain: GrantChain,
      number: Schema.NullOr(Schema.Int),
      hash: Schema.NullOr(Schema.String),
      adopted: Schema.Boolean.annotate({
        description:
          "Whether the approvers have confirmed the chain since one of them was removed or a quorum raised. If not, nobody goes by it: propose and approve an `adoption`."
      }),
      problem: Schema.NullOr(Schema.String)
    })
  )
}).annotate({ identifier: "OperatorGrantReport" })

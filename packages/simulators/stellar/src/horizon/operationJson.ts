import type { OperationRecord } from "@stellar/stellar-sdk/base"
import { Asset } from "@stellar/stellar-sdk/base"
import { authImmutable, authRequired, authRevocable } from "../Account.ts"
import { accountOf } from "../address.ts"
import type { Found } from "../Chain.ts"
import { effectTypes } from "../Effect.ts"
import { nameOf } from "../entries.ts"
import type { JsonObject } from "../json.ts"
import { assetJson, issuerOf } from "../operations/balances.ts"
import { movedBy, type Op } from "../operations/pay.ts"
import { toid } from "../toid.ts"
import { amountIn, textOf } from "../units.ts"
import { link, timeText } from "./links.ts"
import { addressJson, transactionJson } from "./transactionJson.ts"

/** An operation in its transaction, counted from 0. */
export interface Done extends Found {
  readonly index: number
}

/** The operation itself. */
export const operationOf = ({ executed, index }: Done): OperationRecord => {
  const op = executed.submission.inner.operations[index]
  if (op === undefined) throw new Error(`a transaction without operation ${index}`)
  return op
}

/** The account that acted, as the transaction named it. */
export const sourceOf = (done: Done): string => operationOf(done).source ?? done.executed.submission.inner.source

/** Horizon's name and number of each kind of operation that the local network knows. */
const types: Readonly<Partial<Record<OperationRecord["type"], readonly [string, number]>>> = {
  createAccount: ["create_account", 0],
  payment: ["payment", 1],
  pathPaymentStrictReceive: ["path_payment_strict_receive", 2],
  setOptions: ["set_options", 5],
  changeTrust: ["change_trust", 6],
  accountMerge: ["account_merge", 8],
  manageData: ["manage_data", 10],
  bumpSequence: ["bump_sequence", 11],
  pathPaymentStrictSend: ["path_payment_strict_send", 13],
  setTrustLineFlags: ["set_trust_line_flags", 21]
}

const paymentTypes: ReadonlySet<OperationRecord["type"]> = new Set([
  "createAccount",
  "payment",
  "pathPaymentStrictReceive",
  "pathPaymentStrictSend",
  "accountMerge"
])

/** Whether an operation is listed among the payments. */
export const isPayment = (op: OperationRecord): boolean => paymentTypes.has(op.type)

/** The accounts that an operation concerns. */
export const participantsOf = (op: OperationRecord, source: string): ReadonlyArray<string> => [
  accountOf(source),
  ...("destination" in op ? [accountOf(op.destination)] : []),
  ...("trustor" in op ? [op.trustor] : [])
]

/** Flags with Horizon's words for them. */
type Flags = ReadonlyArray<readonly [number, string]>

const authFlags: Flags = [
  [authRequired, "auth_required"],
  [authRevocable, "auth_revocable"],
  [authImmutable, "auth_immutable"]
]

const authorizedFlag = 1

const trustlineFlags: Flags = [[authorizedFlag, "authorized"]]

/** The flags that an operation sets or clears, in numbers and words; nothing where it does not. */
const flagsJson = (what: "set" | "clear", known: Flags, flags = 0): JsonObject => {
  const some = known.filter(([flag]) => (flags & flag) !== 0)
  if (some.length === 0) return {}
  return { [`${what}_flags`]: some.map(([flag]) => flag), [`${what}_flags_s`]: some.map(([, word]) => word) }
}

const signerJson = (signer: Op<"setOptions">["signer"]): JsonObject =>
  signer !== undefined && "ed25519PublicKey" in signer
    ? { signer_key: signer.ed25519PublicKey, signer_weight: Number(signer.weight ?? 0) }
    : {}

const detailsJson = (op: OperationRecord, source: string, successful: boolean): JsonObject => {
  switch (op.type) {
    case "createAccount":
      return {
        starting_balance: textOf(amountIn(op.startingBalance)),
        ...addressJson("funder", source),
        account: op.destination
      }
    case "payment":
      return {
        ...assetJson(nameOf(op.asset)),
        ...addressJson("from", source),
        ...addressJson("to", op.destination),
        amount: textOf(amountIn(op.amount))
      }
    case "pathPaymentStrictReceive":
      return {
        ...assetJson(nameOf(op.destAsset)),
        ...addressJson("from", source),
        ...addressJson("to", op.destination),
        amount: textOf(amountIn(op.destAmount)),
        path: op.path.map((asset) => assetJson(nameOf(asset))),
        source_amount: successful ? movedBy(op) : "0.0000000",
        source_max: textOf(amountIn(op.sendMax)),
        ...assetJson(nameOf(op.sendAsset), "source_")
      }
    case "pathPaymentStrictSend":
      return {
        ...assetJson(nameOf(op.destAsset)),
        ...addressJson("from", source),
        ...addressJson("to", op.destination),
        amount: successful ? movedBy(op) : "0.0000000",
        path: op.path.map((asset) => assetJson(nameOf(asset))),
        source_amount: textOf(amountIn(op.sendAmount)),
        destination_min: textOf(amountIn(op.destMin)),
        ...assetJson(nameOf(op.sendAsset), "source_")
      }
    case "accountMerge":
      return { ...addressJson("account", source), ...addressJson("into", op.destination) }
    case "changeTrust": {
      const asset = op.line instanceof Asset ? nameOf(op.line) : "native"
      return {
        ...assetJson(asset),
        limit: textOf(amountIn(op.limit)),
        trustee: issuerOf(asset),
        ...addressJson("trustor", source)
      }
    }
    case "manageData":
      return { name: op.name, value: op.value === undefined ? "" : Buffer.from(op.value).toString("base64") }
    case "bumpSequence":
      return { bump_to: op.bumpTo }
    case "setOptions":
      return {
        home_domain: op.homeDomain,
        ...signerJson(op.signer),
        ...flagsJson("set", authFlags, op.setFlags),
        ...flagsJson("clear", authFlags, op.clearFlags),
        master_key_weight: op.masterWeight,
        low_threshold: op.lowThreshold,
        med_threshold: op.medThreshold,
        high_threshold: op.highThreshold
      }
    case "setTrustLineFlags":
      return {
        ...assetJson(nameOf(op.asset)),
        trustor: op.trustor,
        ...flagsJson("set", trustlineFlags, op.flags.authorized === true ? authorizedFlag : undefined),
        ...flagsJson("clear", trustlineFlags, op.flags.authorized === false ? authorizedFlag : undefined)
      }
    default:
      return {}
  }
}

/** The number under which an operation stands in history. */
export const idOf = ({ executed, index, ledger }: Done): bigint => toid(ledger.sequence, executed.order, index + 1)

/** An operation as Horizon writes it, with its transaction if it is asked for. */
export const operationJson = (base: string, done: Done, joined: boolean): JsonObject => {
  const { executed, ledger } = done
  const op = operationOf(done)
  const source = sourceOf(done)
  const id = idOf(done).toString()
  const [type, number] = types[op.type] ?? [op.type, -1]
  return {
    _links: {
      self: link(`${base}/operations/${id}`),
      transaction: link(`${base}/transactions/${executed.submission.hash}`),
      effects: link(`${base}/operations/${id}/effects`),
      succeeds: link(`${base}/effects?order=desc&cursor=${id}`),
      precedes: link(`${base}/effects?order=asc&cursor=${id}`)
    },
    id,
    paging_token: id,
    transaction_successful: executed.successful,
    ...addressJson("source_account", source),
    type,
    type_i: number,
    created_at: timeText(ledger.time),
    transaction_hash: executed.submission.hash,
    transaction: joined ? transactionJson(base, done) : undefined,
    ...detailsJson(op, source, executed.successful)
  }
}

/** An effect of an operation, counted from 0, as Horizon writes it. */
export const effectJson = (base: string, done: Done, nth: number): JsonObject => {
  const effect = done.executed.effects[done.index]?.[nth]
  if (effect === undefined) throw new Error(`an operation without effect ${nth}`)
  const id = idOf(done)
  const token = `${id}-${nth + 1}`
  return {
    _links: {
      operation: link(`${base}/operations/${id}`),
      succeeds: link(`${base}/effects?order=desc&cursor=${token}`),
      precedes: link(`${base}/effects?order=asc&cursor=${token}`)
    },
    id: `${id.toString().padStart(19, "0")}-${String(nth + 1).padStart(10, "0")}`,
    paging_token: token,
    ...addressJson("account", effect.account),
    type: effect.type,
    type_i: effectTypes[effect.type],
    created_at: timeText(done.ledger.time),
    ...effect.details
  }
}

import { xdr } from "@stellar/stellar-sdk/base"
import type { Submitted } from "./Chain.ts"
import { entriesOf, keyText } from "./entries.ts"
import { recentFees, spread } from "./horizon/networkJson.ts"
import type { Json, JsonObject } from "./json.ts"
import { type Ledger, resultPair, transactionSet } from "./Ledger.ts"
import { protocolVersion } from "./network.ts"
import { encoded } from "./result.ts"
import { decode, type Submission } from "./Submission.ts"
import { accountsOf, findIn, headOf, ledgerAt, type View } from "./View.ts"

/** A question to Stellar RPC. */
export interface RpcCall {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/** What Stellar RPC answers: a result, or why there is none. */
export type RpcAnswer =
  | { readonly result: Json }
  | { readonly error: { readonly code: number; readonly message: string } }

/** What the questions are answered from, and how a transaction is handed in. */
export interface RpcContext {
  readonly view: View
  readonly friendbotUrl: string
  readonly submit: (submission: Submission) => Submitted
}

const keysMax = 200

const invalid = (message: string): RpcAnswer => ({ error: { code: -32602, message } })

const closing = (view: View): JsonObject => ({
  latestLedger: headOf(view).sequence,
  latestLedgerCloseTime: String(headOf(view).time)
})

const historyJson = (view: View): JsonObject => ({
  ...closing(view),
  oldestLedger: 1,
  oldestLedgerCloseTime: String(ledgerAt(view, 1)?.time ?? 0)
})

const hexBytes = (hex: string) => new Uint8Array(Buffer.from(hex, "hex"))

const metaXdr = (ledger: Ledger): string =>
  xdr.LedgerCloseMeta.fromXdrObject({
    v: 0,
    v0: {
      ledgerHeader: { hash: hexBytes(ledger.hash), header: ledger.header, ext: { v: 0 } },
      txSet: transactionSet(ledger.previousHash, ledger.executed),
      txProcessing: ledger.executed.map((executed) => ({
        result: resultPair(executed),
        feeProcessing: executed.feeChanges,
        txApplyProcessing: executed.meta
      })),
      upgradesProcessing: [],
      scpInfo: []
    }
  }).toXdr("base64")

const getTransaction = ({ view }: RpcContext, { hash }: RpcCall["params"]): RpcAnswer => {
  if (typeof hash !== "string" || !/^[0-9a-f]{64}$/u.test(hash)) return invalid("unexpected hash length or encoding")
  const found = findIn(view, hash)
  if (found === undefined) {
    const nowhere = { applicationOrder: 0, feeBump: false, events: {}, ledger: 0, createdAt: "0" }
    return { result: { status: "NOT_FOUND", txHash: hash, ...historyJson(view), ...nowhere } }
  }
  const { executed, ledger } = found
  return {
    result: {
      status: executed.successful ? "SUCCESS" : "FAILED",
      txHash: hash,
      ...historyJson(view),
      applicationOrder: executed.order,
      feeBump: executed.submission.bump !== undefined,
      envelopeXdr: executed.submission.envelope,
      resultXdr: executed.resultXdr,
      resultMetaXdr: executed.metaXdr,
      // The local network emits none.
      events: {},
      ledger: ledger.sequence,
      createdAt: String(ledger.time)
    }
  }
}

const sendTransaction = ({ submit, view }: RpcContext, { transaction }: RpcCall["params"]): RpcAnswer => {
  const submission = typeof transaction === "string" ? decode(transaction, view.chain.passphrase) : undefined
  if (submission === undefined) return invalid("cannot unmarshal transaction")
  const submitted = submit(submission)
  const told = { status: submitted.status, hash: submission.hash, ...closing(view) }
  return { result: submitted.status === "ERROR" ? { ...told, errorResultXdr: encoded(submitted.result) } : told }
}

const keyIn = (text: unknown): string | undefined => {
  if (typeof text !== "string") return undefined
  try {
    return keyText(xdr.LedgerKey.fromXdr(text, "base64").toXdrObject())
  } catch {
    return undefined
  }
}

const getLedgerEntries = ({ view }: RpcContext, { keys }: RpcCall["params"]): RpcAnswer => {
  if (!Array.isArray(keys) || keys.length > keysMax) return invalid(`key count must be at most ${keysMax}`)
  const wanted = keys.map(keyIn)
  if (wanted.includes(undefined)) return invalid("cannot unmarshal key value")
  const known = new Map(
    [...accountsOf(view).values()].flatMap((account) => entriesOf(account).map((one) => [keyText(one.key), one.entry]))
  )
  const entries = wanted.flatMap((key = "") => {
    const entry = known.get(key)
    if (entry === undefined) return []
    return [
      {
        key,
        xdr: xdr.LedgerEntryData.fromXdrObject(entry.data).toXdr("base64"),
        lastModifiedLedgerSeq: entry.lastModifiedLedgerSeq,
        extXdr: "AAAAAA=="
      }
    ]
  })
  return { result: { entries, latestLedger: headOf(view).sequence } }
}

const getFeeStats = ({ view }: RpcContext): RpcAnswer => {
  const fees = recentFees(view)
  const shared = { transactionCount: String(fees.charged.length), ledgerCount: fees.ledgers }
  return {
    result: {
      sorobanInclusionFee: { ...spread([]), ...shared, transactionCount: "0" },
      inclusionFee: { ...spread(fees.charged), ...shared },
      latestLedger: headOf(view).sequence
    }
  }
}

const getLatestLedger = ({ view }: RpcContext): RpcAnswer => {
  const head = headOf(view)
  return {
    result: {
      id: head.hash,
      protocolVersion,
      sequence: head.sequence,
      closeTime: String(head.time),
      headerXdr: head.headerXdr,
      metadataXdr: metaXdr(head)
    }
  }
}

const methods: Readonly<Record<string, (context: RpcContext, params: RpcCall["params"]) => RpcAnswer>> = {
  getHealth: ({ view }) => ({
    result: {
      status: "healthy",
      latestLedger: headOf(view).sequence,
      oldestLedger: 1,
      ledgerRetentionWindow: headOf(view).sequence
    }
  }),
  getNetwork: ({ friendbotUrl, view }) => ({
    result: { friendbotUrl, passphrase: view.chain.passphrase, protocolVersion }
  }),
  getLatestLedger,
  getTransaction,
  sendTransaction,
  getFeeStats,
  getLedgerEntries,
  getVersionInfo: () => ({
    result: {
      version: "devnet",
      commitHash: "",
      buildTimestamp: "",
      captiveCoreVersion: "devnet",
      protocolVersion
    }
  })
}

/** Answers a question to Stellar RPC. */
export const answerRpc = (context: RpcContext, { method, params }: RpcCall): RpcAnswer =>
  methods[method]?.(context, params) ?? { error: { code: -32601, message: "method not found" } }

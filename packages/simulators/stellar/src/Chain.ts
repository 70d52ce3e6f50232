import type { xdr } from "@stellar/stellar-sdk/base"
import { chargeFee, execute, type Executed } from "./execute.ts"
import { genesisAccounts } from "./genesis.ts"
import { type Closed, type Ledger, seal } from "./Ledger.ts"
import { operationsPerLedgerMax, replaceFeeFactor } from "./network.ts"
import { refusedResult } from "./result.ts"
import { type Accounts, applied, draftOver } from "./State.ts"
import { decode, feeMaxOf, paidOperations, payerOf, sourceOf, type Submission } from "./Submission.ts"
import { feeDue, validate } from "./validate.ts"

/** What the network says to a transaction that is handed in. */
export type Submitted =
  | { readonly status: "PENDING" | "DUPLICATE" | "TRY_AGAIN_LATER" }
  | { readonly status: "ERROR"; readonly result: xdr.TransactionResultWire }

/** A transaction with the ledger that it is in. */
export interface Found {
  readonly ledger: Ledger
  readonly executed: Executed
}

/** The local network: ledgers, accounts, and the transactions that wait. Times are seconds. */
export interface Chain {
  readonly passphrase: string
  readonly head: () => Ledger
  readonly at: (sequence: number) => Ledger | undefined
  /** The accounts after a ledger; of ledgers long past, after the oldest that is remembered. */
  readonly accounts: (sequence: number) => Accounts
  /** Finds a transaction by its hash, or by that of the one inside it. */
  readonly find: (hash: string) => Found | undefined
  readonly pending: () => ReadonlyArray<Submission>
  /** Takes a transaction, or says why not. One transaction of an account waits at a time. */
  readonly submit: (submission: Submission, now: number) => Submitted
  /** Closes a ledger over the transactions that wait. What has become impossible is dropped without a word. */
  readonly close: (now: number) => Ledger
  /** Calls back after every ledger; gives what ends that. */
  readonly onClose: (listener: (ledger: Ledger) => void) => () => void
  readonly snapshot: () => Snapshot
}

/** All that a network has been through, enough to go through it again. */
export interface Snapshot {
  /** The hash of the newest ledger. */
  readonly head: string
  readonly ledgers: ReadonlyArray<{ readonly time: number; readonly transactions: ReadonlyArray<string> }>
}

/** Ledgers of which the accounts are remembered, for a node that is to seem behind. */
const statesMax = 128

/** A network as it begins. */
export const makeChain = (passphrase: string, began: number): Chain => {
  const ledgers: Array<Ledger> = [seal(undefined, began, [])]
  let states: ReadonlyArray<{ readonly sequence: number; readonly accounts: Accounts }> = [
    { sequence: 1, accounts: genesisAccounts(passphrase, began) }
  ]
  const found = new Map<string, Found>()
  const waiting = new Map<string, Submission>()
  const listeners = new Set<(ledger: Ledger) => void>()

  const head = (): Ledger => {
    const last = ledgers.at(-1)
    if (last === undefined) throw new Error("there is no ledger")
    return last
  }
  const accounts: Chain["accounts"] = (sequence) => {
    const state = states.findLast((one) => one.sequence <= sequence) ?? states[0]
    if (state === undefined) throw new Error("there is no state")
    return state.accounts
  }

  const submit: Chain["submit"] = (submission, now) => {
    const { time, sequence } = head()
    const source = sourceOf(submission)
    const before = waiting.get(source)
    if (before?.hash === submission.hash) return { status: "DUPLICATE" }
    const replaces = before !== undefined && before.inner.sequence === submission.inner.sequence
    if (before !== undefined && !replaces) return { status: "TRY_AGAIN_LATER" }
    const refuse = (...[fault, fee = 0n]: [NonNullable<ReturnType<typeof validate>>, bigint?]): Submitted => ({
      status: "ERROR",
      result: refusedResult(submission, fee, fault)
    })
    if (
      replaces &&
      feeMaxOf(submission) * paidOperations(before) < feeMaxOf(before) * paidOperations(submission) * replaceFeeFactor
    ) {
      return refuse({ verdict: { code: -9 }, inside: false }, feeMaxOf(before) * replaceFeeFactor)
    }
    const others = [...waiting.values()].filter((one) => one !== before && payerOf(one) === payerOf(submission))
    const promised = others.reduce((sum, one) => sum + feeMaxOf(one), 0n)
    const when = { ledger: sequence + 1, time: Math.max(now, time + 1) }
    const fault = validate(accounts(sequence), submission, when, promised)
    if (fault !== undefined) return refuse(fault, fault.verdict.code === -9 ? feeDue(submission) : 0n)
    waiting.set(source, submission)
    return { status: "PENDING" }
  }

  /** Those that wait and can be in a ledger, in an order that nobody chooses. */
  const candidates = (state: Accounts, ledger: number, time: number) => {
    const promised = new Map<string, bigint>()
    let operations = 0
    const sorted = [...waiting.values()].toSorted((one, other) => (one.hash < other.hash ? -1 : 1))
    const chosen: Array<Submission> = []
    for (const submission of sorted) {
      if (operations + submission.inner.operations.length > operationsPerLedgerMax) continue
      waiting.delete(sourceOf(submission))
      const payer = payerOf(submission)
      const fees = promised.get(payer) ?? 0n
      if (validate(state, submission, { ledger, time }, fees) !== undefined) continue
      operations += submission.inner.operations.length
      promised.set(payer, fees + feeMaxOf(submission))
      chosen.push(submission)
    }
    return chosen
  }

  const closed = (now: number): Closed => {
    const parent = head()
    const time = Math.max(now, parent.time + 1)
    const when = { ledger: parent.sequence + 1, time }
    const before = accounts(parent.sequence)
    const state = draftOver(before)
    const charged = candidates(before, when.ledger, time).map((submission) => ({
      submission,
      fee: chargeFee(state, submission, when)
    }))
    const executed = charged.map(({ fee, submission }, index) => execute(state, submission, index + 1, when, fee))
    return { ledger: seal(parent, time, executed), accounts: applied(before, state) }
  }

  const close: Chain["close"] = (now) => {
    const { accounts: after, ledger } = closed(now)
    ledgers.push(ledger)
    if (after !== accounts(ledger.sequence)) {
      states = [...states, { sequence: ledger.sequence, accounts: after }].slice(-statesMax)
    }
    for (const executed of ledger.executed) {
      const { hash, inner } = executed.submission
      found.set(hash, { ledger, executed })
      found.set(inner.hash, { ledger, executed })
    }
    for (const listener of listeners) listener(ledger)
    return ledger
  }

  return {
    passphrase,
    head,
    at: (sequence) => ledgers[sequence - 1],
    accounts,
    find: (hash) => found.get(hash),
    pending: () => [...waiting.values()],
    submit,
    close,
    onClose: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    snapshot: () => ({
      head: head().hash,
      ledgers: ledgers.map(({ executed, time }) => ({
        time,
        transactions: executed.map(({ submission }) => submission.envelope)
      }))
    })
  }
}

/** Goes through it all again. Throws when that leads elsewhere: the snapshot is damaged, or the rules have changed. */
export const restore = (passphrase: string, { head, ledgers }: Snapshot): Chain => {
  const [first, ...others] = ledgers
  if (first === undefined) throw new Error("there is no ledger")
  const chain = makeChain(passphrase, first.time)
  for (const { time, transactions } of others) {
    for (const envelope of transactions) {
      const submission = decode(envelope, passphrase)
      if (submission === undefined || chain.submit(submission, time).status !== "PENDING") {
        throw new Error(`a transaction of ledger ${chain.head().sequence + 1} is none`)
      }
    }
    chain.close(time)
  }
  if (chain.head().hash !== head) throw new Error(`the ledgers lead to ${chain.head().hash}, not to ${head}`)
  return chain
}

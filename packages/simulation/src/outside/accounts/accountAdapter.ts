import type { NetworkTraits } from "@bursar/core/money/Network"
import { accountPlanner, nextSequenceGuard } from "@bursar/core/port/accountPlanner"
import { ChainError, type ChainReader } from "@bursar/core/port/Chain"
import {
  type Broadcast,
  CannotBuild,
  type ChainSender,
  type TransactionContent,
  type TransactionFormat
} from "@bursar/core/port/ChainSender"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import { Effect, Result } from "effect"
import type { AccountBlock, AccountChain } from "./AccountChain.ts"
import { accountForm } from "./AccountForm.ts"
import { accountStatus } from "./accountStatus.ts"
import { digestOf, givenAs, hashOf, readSigned, readUnsigned, writeSigned, writeUnsigned } from "./bytes.ts"
import type { Faults } from "../Faults.ts"
import type { AskNode } from "../WorldNetwork.ts"

/** The network of a world as one process reaches it. */
export interface NetworkOptions {
  readonly chain: AccountChain
  readonly faults: Faults
  readonly traits: NetworkTraits
  readonly contracts: ReadonlyArray<string>
  /** How many blocks count as enough for a deposit. */
  readonly confirmations: number
  readonly ask: AskNode
}

const contentOf = (unsigned: Uint8Array, feePerBid: bigint): TransactionContent => {
  const { bid, from, payments, sequence, validUntil = null } = readUnsigned(unsigned)
  return {
    payments: payments.map((payment) => ({ ...payment, memo: null })),
    feeMax: bid * feePerBid,
    digests: [{ address: from, digest: digestOf(unsigned) }],
    guard: sequence === undefined ? { _tag: "Expiry" } : { _tag: "Sequence", account: from, sequence },
    validUntil
  }
}

const codecOf = (traits: NetworkTraits): TransactionFormat => ({
  network: traits.name,
  read: (unsigned) =>
    Result.try({
      try: () => contentOf(unsigned, accountForm(traits).feePerBid),
      catch: () => "These are no bytes of the simulated network."
    }),
  readSigned: (raw) =>
    Result.try({
      try: () => ({ payments: readSigned(raw).transaction.payments.map((payment) => ({ ...payment, memo: null })) }),
      catch: () => "These are no bytes of the simulated network."
    }),
  finish: (unsigned, [signature]) => {
    if (signature === undefined) return Result.fail("There is no signature.")
    const raw = writeSigned(unsigned, signature.publicKey, signature.bytes)
    return Result.succeed({ hash: hashOf(raw), raw })
  }
})

const refOf = ({ hash, number, parentHash, time }: AccountBlock) => ({ number, hash, parentHash, time })

/** The questions of a reader and a sender, each of which may fail. */
const questionsOf = ({ ask, chain, faults, traits }: NetworkOptions) => {
  const { name: network } = traits
  const failure = (reason: ChainError["reason"], doing: string) =>
    new ChainError({ network, reason, doing, detail: "as the seed has it" })
  /** The blocks as the node has them now. */
  const seen = (): ReadonlyArray<AccountBlock> =>
    faults.strikes("node.lags") && chain.blocks().length > chain.finalCount()
      ? chain.blocks().slice(0, -1)
      : chain.blocks()
  const question = <A>(doing: string, answer: () => A | undefined): Effect.Effect<A, ChainError> =>
    ask(
      doing,
      Effect.suspend(() => {
        if (faults.strikes("node.silent", doing)) return Effect.fail(failure("unreachable", doing))
        const found = answer()
        return found === undefined ? Effect.fail(failure("absent", doing)) : Effect.succeed(found)
      })
    )
  return { question, seen }
}

const readerOf = (options: NetworkOptions, { question, seen }: ReturnType<typeof questionsOf>): ChainReader => {
  const { chain, confirmations, contracts, traits } = options
  const known = new Set<string | null>([null, ...contracts])
  const last = (blocks: ReadonlyArray<AccountBlock>): AccountBlock => blocks.at(-1) ?? chain.tip()
  return {
    network: traits.name,
    requiredConfirmations: confirmations,
    reorgDepthMax: 16,
    pollIntervalMs: 4_000,
    tip: question("tip", () => {
      const latest = last(seen())
      return { latest: refOf(latest), confirmed: latest.number - confirmations + 1 }
    }),
    header: (number) =>
      question("header", () => {
        const found = seen()[number]
        return found === undefined ? undefined : refOf(found)
      }),
    block: (hash) =>
      question("block", () => {
        const found = seen().find((block) => block.hash === hash)
        if (found === undefined) return undefined
        const transfers = found.transactions
          .filter(({ reverted }) => !reverted)
          .flatMap(({ from, hash: txHash, payments }) =>
            payments.map((payment, transferIndex) => ({ ...payment, txHash, transferIndex, from }))
          )
        return { ...refOf(found), transfers: transfers.filter(({ contract }) => known.has(contract)) }
      }),
    blockAt: (time) => question("blockAt", () => refOf(seen().find((block) => block.time >= time) ?? last(seen()))),
    holdingsMax: 4,
    holdings: (addresses, at) =>
      question("holdings", () => {
        const block = at === undefined ? last(seen()) : seen().find(({ hash }) => hash === at.hash)
        if (block === undefined) return undefined
        const held = [...new Set(addresses)].flatMap((address) =>
          [...known].map((contract) => ({ address, contract, units: chain.holds(address, contract, block) }))
        )
        return { block: refOf(block), held }
      })
  }
}

const broadcastTo = ({ chain, faults, traits }: NetworkOptions, raw: Uint8Array): Broadcast => {
  if (faults.strikes("broadcast.lost")) return { _tag: "Unknown", detail: "the connection broke before" }
  if (faults.strikes("broadcast.refused")) return { _tag: "Rejected", reason: "busy", detail: "not now" }
  const { publicKey, transaction } = readSigned(raw)
  if (accountForm(traits).addressOf(Buffer.from(publicKey, "hex")) !== transaction.from)
    return { _tag: "Rejected", reason: "invalid", detail: "another key has signed it" }
  const taken = chain.take(givenAs(transaction, hashOf(raw)))
  if (faults.strikes("broadcast.unheard")) return { _tag: "Unknown", detail: "the connection broke after" }
  switch (taken) {
    case "taken":
    case "known":
      return { _tag: "Accepted" }
    case "used":
      return { _tag: "Rejected", reason: "guard_used", detail: "the number is used" }
    case "too_low":
      return { _tag: "Rejected", reason: "fee_too_low", detail: "it bids no more" }
    case "expired":
      return { _tag: "Rejected", reason: "expired", detail: "its time is over" }
  }
}

const senderOf = (options: NetworkOptions, { question, seen }: ReturnType<typeof questionsOf>): ChainSender => {
  const { ask, chain, traits } = options
  const { name: network } = traits
  const { expires, feePerBid } = accountForm(traits)
  const last = (): AccountBlock => seen().at(-1) ?? chain.tip()
  const firstSequence: ChainSender["firstSequence"] = (account) =>
    expires ? Effect.succeed(null) : question("count", () => chain.sequenceOf(account, last()))
  const balance: ChainSender["balance"] = (address, contract) =>
    question("balance", () => chain.holds(address, contract, last()))
  const estimate: ChainSender["estimate"] = () =>
    Effect.succeed({ fee: feePerBid, recipientHoldsAsset: null, assumedWorstCase: false })
  return {
    network,
    validityMs: 60_000,
    rebroadcastAfterMs: 10_000,
    replaceAfterMs: expires ? null : 40_000,
    paymentsMax: 1,
    firstSequence,
    balance,
    estimate,
    planner: accountPlanner({
      balance,
      estimate,
      lenders: ({ wallet }) => [wallet],
      underWayMax: traits.underWayMax,
      guardOf: expires ? () => Effect.succeed({ _tag: "Expiry" }) : nextSequenceGuard(firstSequence)
    }),
    build: (order) =>
      Effect.flatMap(
        question("build", () => true),
        () => {
          const native = order.payments
            .filter(({ contract }) => contract === null)
            .reduce((sum, { units }) => sum + units, 0n)
          const bid = order.replacing === null ? 1n : readSigned(order.replacing).transaction.bid + 1n
          const missing = native + bid * feePerBid - chain.holds(order.from, null)
          if (missing > 0n)
            return Effect.fail(
              new CannotBuild({
                network,
                reason: "insufficient_wallet",
                detail: "the account has too little for the fee",
                missing: { contract: null, units: missing }
              })
            )
          const { payments } = order
          return Effect.succeed({
            bytes: writeUnsigned(order, bid),
            feeMax: bid * feePerBid,
            payments,
            validUntil: expires ? order.validUntil : null
          })
        }
      ),
    broadcast: (raw) =>
      ask(
        "broadcast",
        Effect.sync(() => broadcastTo(options, raw))
      ),
    status: ({ guard }, sent) => question("status", () => accountStatus(chain, guard, sent)),
    preflight: () => question("preflight", () => ({ _tag: "Payable" }) as const),
    prove: () => Effect.succeed({ verdict: "UNREADABLE", reason: "nobody asks here" })
  }
}

/** The adapter of the network of a world, for one process. */
export const accountAdapter = (options: NetworkOptions): NetworkAdapter => {
  const { contracts, traits } = options
  const { keys, parse } = accountForm(traits)
  const questions = questionsOf(options)
  return {
    traits,
    chainId: "simulated",
    parseAddress: (written) => parse(traits, contracts, written),
    keys,
    codec: codecOf(traits),
    verifyChain: Effect.void,
    reader: readerOf(options, questions),
    sender: senderOf(options, questions)
  }
}

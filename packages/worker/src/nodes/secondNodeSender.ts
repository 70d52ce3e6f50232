import { ChainError } from "@bursar/core/port/Chain"
import type { ChainSender, Proof, SignedAttempt, StatusOrder } from "@bursar/core/port/ChainSender"
import { toIso } from "@bursar/core/base/Timestamp"
import { Clock, Effect, Result } from "effect"
import { agreedBuild } from "./agreedBuild.ts"
import { agreedPreflight } from "./agreedReceiver.ts"
import { agreedSequence, planByAgreed } from "./agreedSequence.ts"
import { agreementOf, isConclusion, statusWords } from "./agreedStatus.ts"
import { defaultNodeLimits, type NodePool } from "./NodePool.ts"
import { countDisputed } from "./nodeMetrics.ts"
import { byOperator } from "./operators.ts"
import { askElsewhere } from "./otherOperators.ts"
import { payoutsByLeastFee } from "./payoutsByLeastFee.ts"
import type { SenderNode } from "./SenderNode.ts"
import { type SeveralNodes, wordsElsewhere } from "./SeveralNodes.ts"
import { callPerson, makeWaiting, patienceMs } from "./waitingForSecond.ts"

type Checked = Pick<ChainSender, "balance" | "build" | "preflight" | "firstSequence" | "planner" | "prove" | "status">

const failure = (network: string, reason: "inconsistent" | "unreachable", doing: string, detail: string) =>
  new ChainError({ network, reason, doing, detail })

/** What waits for a second node: what was signed last, else the guard itself. */
const subjectOf = ({ guard }: StatusOrder, transactions: ReadonlyArray<SignedAttempt>): string => {
  const [first] = guard._tag === "Utxos" ? guard.utxos : []
  return transactions.at(-1)?.hash ?? (first === undefined ? "" : `${first.txHash}:${first.vout}`)
}

/** Nothing is settled, failed or made anew by the word of one node. */
const statusOf = ({ ask, elsewhere, name, network }: SeveralNodes): ChainSender["status"] => {
  const waiting = makeWaiting()
  const doing = "ask a second node what became of a transaction"
  return Effect.fnUntraced(function* (order, transactions) {
    const { answer, index } = yield* ask((sender) => sender.status(order, transactions))
    const newest = subjectOf(order, transactions)
    if (!isConclusion(answer)) {
      waiting.over(newest)
      return answer
    }
    const said = yield* elsewhere(index, ({ reader, sender }) =>
      Effect.gen(function* () {
        // before the status: what counts by then is known to it
        const { confirmed } = yield* reader.tip
        return { confirmed, status: yield* sender.status(order, transactions) }
      })
    )
    const agreement = agreementOf(answer, said)
    if (agreement._tag === "Agreed") {
      waiting.over(newest)
      return agreement.conclusion
    }
    const now = yield* Clock.currentTimeMillis
    const wait = waiting.of(newest, now)
    const detail = `${name(index)}: ${statusWords(answer)}; ${wordsElsewhere(said, ({ status }) => statusWords(status))}`
    // where nodes contradict each other, or where one has not come as far as the other for too long
    const alarm = callPerson(wait, Effect.logError("transaction.disputed"), {
      network,
      subject: "transaction",
      txHash: newest,
      said: detail
    })
    if (agreement._tag === "Disputed") {
      yield* alarm
      return yield* failure(network, "inconsistent", doing, `nodes contradict each other: ${detail}`)
    }
    const isBehind = agreement._tag === "Behind"
    if (isBehind && now - wait.at >= patienceMs) yield* alarm
    else if (isBehind && answer._tag === "Final")
      return { _tag: "Included", hash: answer.hash, blockNumber: answer.blockNumber } as const
    return yield* failure(network, "unreachable", doing, `waiting for a second node since ${toIso(wait.at)}: ${detail}`)
  })
}

const proofWords = (proof: Proof): string => (proof.verdict === "PROVEN" ? proof.detail : proof.reason)

/** What a proof says of the transaction, but for what it cost. */
const statementOf = (proof: Proof): string =>
  proof.verdict === "PROVEN" ? `PROVEN ${proof.innerHash ?? ""}` : proof.verdict

/** Whether a proof is an answer that stays. */
const isFirm = ({ verdict }: Proof): boolean => verdict === "PROVEN" || verdict === "NOT_PROVEN"

/** What a payment cost is known only where those who prove it say the same: nothing is booked by the word of one. */
const withAgreedFee = (proof: Proof, others: ReadonlyArray<Proof>): Proof => {
  if (proof.verdict !== "PROVEN") return proof
  const agreed = others.every((one) => one.verdict !== "PROVEN" || one.fee === proof.fee)
  return agreed ? proof : { ...proof, fee: null }
}

/**
 * A claimed payment is proven, or shown not to have been made, where nodes of two operators say the same. It is not final where any sees it in a
 * block and none denies it, however little the others know: nobody is paid again meanwhile.
 */
const proofOf =
  ({ ask, elsewhere, name, network }: SeveralNodes): ChainSender["prove"] =>
  (claimed) =>
    Effect.gen(function* () {
      const { answer: first, index } = yield* ask((sender) => sender.prove(claimed))
      const said = yield* elsewhere(index, ({ sender }) => sender.prove(claimed))
      const all = [first, ...said.flatMap((one) => (Result.isSuccess(one.answer) ? [one.answer.success] : []))]
      const [answer, ...others] = all.filter(({ verdict }) => verdict !== "UNREADABLE")
      if (answer === undefined) return first
      // a node that is a block behind contradicts nobody
      const disputed = isFirm(answer) && others.some((one) => isFirm(one) && statementOf(one) !== statementOf(answer))
      if (!disputed && others.some(({ verdict }) => verdict === answer.verdict)) return withAgreedFee(answer, others)
      const reason = `nodes do not say the same. ${name(index)}: ${proofWords(first)}; ${wordsElsewhere(said, proofWords)}`
      if (disputed) {
        const { txHash } = claimed
        yield* Effect.annotateLogs(Effect.logError("transaction.proof_disputed"), { network, txHash, said: reason })
        yield* countDisputed(network, "proof")
      }
      const denied = disputed || [answer, ...others].some(({ verdict }) => verdict === "NOT_PROVEN")
      return { verdict: denied ? "UNREADABLE" : "NOT_FINAL", reason } satisfies Proof
    }).pipe(Effect.catch(({ message }) => Effect.succeed({ verdict: "UNREADABLE", reason: message } satisfies Proof)))

/** The least that any operator's node says counts. Nodes may be a block apart, so a difference disputes nothing. */
const balanceOf =
  ({ ask, elsewhere, network }: SeveralNodes): ChainSender["balance"] =>
  (address, contract) =>
    Effect.gen(function* () {
      const { answer, index } = yield* ask((sender) => sender.balance(address, contract))
      if (answer === 0n) return answer
      const said = yield* elsewhere(index, ({ sender }) => sender.balance(address, contract))
      const others = said.flatMap((one) => (Result.isSuccess(one.answer) ? [one.answer.success] : []))
      if (others.length === 0)
        return yield* failure(
          network,
          "unreachable",
          "ask a second node what an address holds",
          wordsElsewhere(said, (units) => `${units}`)
        )
      return others.reduce((least, units) => (units < least ? units : least), answer)
    })

/** What the nodes share. */
export interface PooledNodes extends Pick<ChainSender, "planner"> {
  readonly pool: NodePool
  readonly timeoutMs?: number
}

/**
 * What is concluded from the word of one node is asked of a node of another operator too, where nodes of two are configured: what became
 * of transactions, whether a claimed payment was made, what an address holds, which number an account goes on with. Undefined where there are not two.
 */
export const secondNodeSender = (
  nodes: ReadonlyArray<SenderNode>,
  { planner, pool, timeoutMs = defaultNodeLimits.opinionTimeoutMs }: PooledNodes
): Checked | undefined => {
  const operators = byOperator(nodes.map(({ operator }) => operator))
  const [first] = nodes
  if (operators.size < 2 || first === undefined) return undefined
  const named = [...operators.values()].flat()
  // the places are those of the list
  const at = (index: number) => nodes[index] as SenderNode
  const several: SeveralNodes = {
    network: first.sender.network,
    name: (index) => named.find((node) => node.index === index)?.name ?? `node ${index + 1} of ${nodes.length}`,
    ask: (question) =>
      pool.askFresh((index) => Effect.map(question(at(index).sender), (answer) => ({ answer, index }))),
    elsewhere: (index, question) => askElsewhere(operators, index, timeoutMs, (other) => question(at(other)))
  }
  const sequence = agreedSequence(several)
  return {
    status: statusOf(several),
    prove: proofOf(several),
    balance: balanceOf(several),
    firstSequence: sequence.firstSequence,
    planner: planByAgreed({ ...planner, payouts: payoutsByLeastFee(several) }, sequence),
    preflight: agreedPreflight(several),
    build: agreedBuild(several)
  }
}

import { accountTopic } from "../account/accountAgenda.ts"
import { custodianTopic } from "../custody/CustodyStep.ts"
import { verificationTopic } from "../customer/Customer.ts"
import { ownIdOf } from "../engine/Agenda.ts"
import { networks } from "../money/Network.ts"
import type { Operation } from "../operation/Operation.ts"
import { isOver } from "../operation/OperationMachine.ts"
import { resolvedOf } from "../operation/resolved.ts"
import { awaitsReview } from "../operation/Review.ts"
import { sendTopic, spendTopic } from "../outbound/sendTopic.ts"
import { openSweepTopic } from "../sweep/sweepTopics.ts"
import { isProvided, transferTopic } from "../transfer/Transfer.ts"
import { isFinished } from "../transfer/transferStanding.ts"
import type { Pass } from "./Pass.ts"

const placeOf = (topic: string, key: string): string => `${topic}|${key}`

/** The topics whose items are things of these books; what else is on an agenda is not judged here. */
const judged: ReadonlySet<string> = new Set([
  custodianTopic,
  transferTopic,
  accountTopic,
  verificationTopic,
  ...networks.flatMap((network) => [sendTopic(network), spendTopic(network), openSweepTopic(network)])
])

/** Where an operation waits that a provider carries out; undefined for others. */
const topicOf = ({ kind }: Operation): string | undefined => {
  if (kind === "WITHDRAWAL" || kind === "SWAP") return custodianTopic
  return isProvided(kind) ? transferTopic : undefined
}

/** What is open is looked at. */
export const agendas: Pass = {
  name: "agenda",
  rule: "every operation, spend and sweep that is open and waits for no operator is on the agenda of the process that carries it on, and everything on an agenda is open",
  run: () => {
    /** What must be on an agenda, in words. */
    const needed = new Map<string, string>()
    /** What may be. */
    const allowed = new Set<string>()
    const open = new Map<string, string>()
    const need = (topic: string, key: string, what: string): void => {
      needed.set(placeOf(topic, key), what)
    }
    return {
      customer: ({ id }) => {
        allowed.add(placeOf(verificationTopic, id))
        return undefined
      },
      account: ({ id }) => {
        allowed.add(placeOf(accountTopic, id))
        return undefined
      },
      operation: (operation) => {
        const { id, kind, status } = operation
        const topic = topicOf(operation)
        const waits = awaitsReview(operation)
        if (kind === "CHAIN_PAYOUT" && !isOver(status)) open.set(id, waits ? "IN_REVIEW" : status)
        if (topic === undefined) return undefined
        // what settled at a bank may still come back, and is looked at for as long as that is likely
        const mayMove = topic === transferTopic ? !isFinished(operation) : !isOver(status)
        // what operators resolved is asked about for a while, in case its provider says something else
        if (mayMove || resolvedOf(operation) !== null) allowed.add(placeOf(topic, id))
        if (!isOver(status) && !waits) need(topic, id, `${kind} ${id}, which is ${status}`)
        return undefined
      },
      spend: ({ id, network, phase }) => {
        if (phase !== "FINAL") need(spendTopic(network), id, `spend ${id}, which is ${phase}`)
        return undefined
      },
      payout: ({ network, operationId, phase }) => {
        const status = open.get(operationId)
        if (status === undefined || phase !== "HELD") return undefined
        if (status === "IN_REVIEW") allowed.add(placeOf(sendTopic(network), operationId))
        else need(sendTopic(network), operationId, `CHAIN_PAYOUT ${operationId}, which is ${status}`)
        return undefined
      },
      sweep: ({ closedAt, id, network, state }) => {
        if (closedAt === null) need(openSweepTopic(network), id, `sweep ${id}, which is ${state}`)
        return undefined
      },
      agenda: ({ key, topic }) => {
        if (!judged.has(topic)) return undefined
        const byProvider = topic === accountTopic || topic === verificationTopic
        const place = placeOf(topic, byProvider ? ownIdOf(key) : key)
        return needed.delete(place) || allowed.has(place)
          ? undefined
          : `${key} is on the agenda ${topic}, where nothing of that name is open`
      },
      finish: () => {
        const [first] = needed
        return first === undefined
          ? undefined
          : `${first[1]}, is not on the agenda ${first[0].slice(0, first[0].indexOf("|"))}`
      }
    }
  }
}

import type { Spend } from "../outbound/Spend.ts"
import { intakeKey, type Intake } from "../sweep/Intake.ts"
import type { Sweep } from "../sweep/Sweep.ts"
import { isSweepOver } from "../sweep/SweepMachine.ts"
import type { Pass } from "./Pass.ts"

/** Whether a sweep still has its deposits, or has moved them for good. */
const takes = ({ closedAt, state }: Sweep): boolean => state === "SWEPT" || closedAt === null

const unitsOf = (spend: Spend): bigint => spend.payments.reduce((sum, { units }) => sum + units, 0n)

/** A deposit is swept once at most, by a spend that moves no more than what arrived. */
export const sweptDeposits: Pass = {
  name: "sweeps",
  rule: "every deposit that is being swept, or was, is named by one sweep, and every sweep stands where its spend does and moves no more than its deposits",
  run: () => {
    const spends = new Map<string, Spend>()
    const intakes = new Map<string, Intake>()
    const named = new Map<string, string>()
    const bySpend = new Map<string, bigint>()
    return {
      spend: (spend) => {
        if (spend.purpose === "SWEEP" || spend.purpose === "TOP_UP") spends.set(spend.id, spend)
        return undefined
      },
      intake: (intake) => {
        intakes.set(intakeKey(intake), intake)
        return undefined
      },
      sweep: (sweep) => {
        const { currency, deposits, id, state, sweepSpendId, units } = sweep
        const found = deposits.map((deposit) => intakes.get(intakeKey(deposit)))
        const foreign = found.find((intake) => intake === undefined || (takes(sweep) && intake.sweepId !== id))
        if (foreign !== undefined || found.includes(undefined)) {
          return `sweep ${id} names deposits that are not its own`
        }
        const sum = found.reduce((all, intake) => all + (intake?.units ?? 0n), 0n)
        if (takes(sweep) && (sum !== units || found.some((intake) => intake?.currency !== currency))) {
          return `sweep ${id} is of ${units} ${currency}, its deposits come to ${sum}`
        }
        for (const deposit of takes(sweep) ? deposits : []) {
          const other = named.get(intakeKey(deposit))
          if (other !== undefined) return `deposit ${deposit.depositId} is in the sweeps ${other} and ${id}`
          named.set(intakeKey(deposit), id)
        }
        const spend = sweepSpendId === null ? undefined : spends.get(sweepSpendId)
        if (spend !== undefined) bySpend.set(spend.id, (bySpend.get(spend.id) ?? 0n) + units)
        if ((state === "SWEPT") !== (spend?.outcome === "done")) {
          return `sweep ${id} is ${state}, its spend has come to ${spend?.outcome ?? "nothing"}`
        }
        return spend?.phase === "FINAL" && !isSweepOver(state)
          ? `sweep ${id} is ${state}, its spend is over`
          : undefined
      },
      finish: () => {
        for (const intake of intakes.values()) {
          const { depositId, sweepId } = intake
          if (sweepId !== null && named.get(intakeKey(intake)) !== sweepId) {
            return `deposit ${depositId} says that sweep ${sweepId} has it, which says otherwise`
          }
        }
        for (const [id, units] of bySpend) {
          const moved = spends.get(id)
          if (moved !== undefined && unitsOf(moved) > units) {
            return `spend ${id} moves ${unitsOf(moved)}, the deposits of its sweeps come to ${units}`
          }
        }
        return undefined
      }
    }
  }
}

interface Moved {
  readonly moved: bigint
  readonly fees: bigint
}

/** What is moved between addresses and wallets is in the books as its spends have moved it. */
export const sweepLegs: Pass = {
  name: "sweep-legs",
  rule: "every sweep and top-up that is done has moved in the books what it moved on the chain, and no other has; what was credited on addresses is what can be swept from them, or was",
  run: () => {
    const spends = new Map<string, Spend>()
    const legs = new Map<string, Moved>()
    const origins = new Set<string>()
    const credited = new Map<string, { readonly units: bigint; readonly key: string }>()
    const came = new Map<string, bigint>()
    return {
      operation: (operation) => {
        if (operation.kind === "DEPOSIT" || operation.kind === "REVERSAL") origins.add(operation.id)
        return undefined
      },
      spend: (spend) => {
        if (spend.purpose === "SWEEP" || spend.purpose === "TOP_UP") spends.set(spend.id, spend)
        return undefined
      },
      intake: (intake) => {
        if (!intake.gone && intake.bookedBy === null) {
          const key = `chain:${intake.network}:deposits|${intake.currency}`
          credited.set(intake.depositId, { units: intake.units, key })
        }
        return undefined
      },
      leg: ({ account, currency, direction, operationId, units, what }) => {
        const key = `${account}|${currency}`
        const signed = direction === "DEBIT" ? units : -units
        if (origins.has(operationId) && /^chain:\w+:deposits$/u.test(account)) {
          came.set(key, (came.get(key) ?? 0n) + signed)
        }
        const spend = spends.get(operationId)
        if (spend === undefined || direction !== "DEBIT") return undefined
        const before = legs.get(operationId) ?? { moved: 0n, fees: 0n }
        if (what === "network_fee") legs.set(operationId, { ...before, fees: before.fees + units })
        if (what === "sweep" || what === "top_up") legs.set(operationId, { ...before, moved: before.moved + units })
        return undefined
      },
      deposit: ({ creditedBy, id }) => {
        const intake = credited.get(id)
        return intake !== undefined && creditedBy === null
          ? `deposit ${id} waits to be swept and is in the books of nobody`
          : undefined
      },
      finish: () => {
        for (const [id, spend] of spends) {
          const { fees, moved } = legs.get(id) ?? { moved: 0n, fees: 0n }
          const drained = spend.drain && spend.token._tag === "Coins" ? (spend.fee ?? 0n) : 0n
          const expected = spend.outcome === "done" ? unitsOf(spend) - drained : 0n
          if (moved !== expected) return `the legs of spend ${id} move ${moved} where it has moved ${expected}`
          if (fees !== (spend.fee ?? 0n))
            return `the legs of spend ${id} pay ${fees} where it has cost ${spend.fee ?? 0n}`
        }
        const arrived = new Map<string, bigint>()
        for (const { key, units } of credited.values()) arrived.set(key, (arrived.get(key) ?? 0n) + units)
        for (const key of new Set([...arrived.keys(), ...came.keys()])) {
          const [there, told] = [came.get(key) ?? 0n, arrived.get(key) ?? 0n]
          if (there !== told) return `${key} was credited ${there}, the deposits that can be swept come to ${told}`
        }
        return undefined
      }
    }
  }
}

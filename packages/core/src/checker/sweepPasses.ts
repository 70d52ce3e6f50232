import type { Spend } from "../outbound/Spend.ts"
import { intakeKey, type Intake } from "../sweep/Intake.ts"
import { holderOf } from "../deposit/ownTransfer.ts"
import { type AssetAccount, shortfallOf } from "../ledger/Account.ts"
import { addressOrigins } from "../tenant/Tenant.ts"
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

/** What the books have credited on addresses of the service is what its sweeps know of. */
export const sweepable: Pass = {
  name: "sweepable",
  rule: "what was credited on addresses is what can be swept from them, or was",
  run: () => {
    /** The account that each operation of a deposit has brought coins to, or taken them from. */
    const origins = new Map<string, AssetAccount>()
    const credited = new Map<string, { readonly units: bigint; readonly key: string }>()
    const came = new Map<string, bigint>()
    return {
      operation: (operation) => {
        const { details, id, kind, network } = operation
        const ofDeposit = kind === "DEPOSIT" || kind === "REVERSAL" || details["own_transfer"] === true
        const origin = addressOrigins.find((one) => one === details["origin"])
        if (ofDeposit && origin !== undefined && network !== null) origins.set(id, holderOf(network, origin))
        if (details["taken_over"] !== undefined && network !== null) origins.set(id, `chain:${network}:deposits`)
        return undefined
      },
      intake: (intake) => {
        if (!intake.gone && intake.bookedBy === null) {
          const key = `chain:${intake.network}:deposits|${intake.currency}`
          credited.set(intake.depositId, { units: intake.units, key })
        }
        return undefined
      },
      leg: ({ account, currency, direction, operationId, units }) => {
        const signed = direction === "DEBIT" ? units : -units
        const holder = origins.get(operationId)
        // what was not there any more when a deposit was taken back is short of the same account
        if (holder?.endsWith(":deposits") === true && (account === holder || account === shortfallOf(holder))) {
          const key = `${holder}|${currency}`
          came.set(key, (came.get(key) ?? 0n) + signed)
        }
        return undefined
      },
      deposit: ({ creditedBy, id }) => {
        const intake = credited.get(id)
        return intake !== undefined && creditedBy === null
          ? `deposit ${id} waits to be swept and is in the books of nobody`
          : undefined
      },
      finish: () => {
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

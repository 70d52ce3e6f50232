import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import { Refusal } from "../base/Refusal.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import { FeeRule } from "./FeeRule.ts"

/** A fee rule as an operator wishes it; it is in force at once where no date is given. */
export type FeeRuleRequest = Omit<FeeRule, "id" | "createdAt" | "retiredAt" | "effectiveFrom"> & {
  readonly effectiveFrom: Timestamp | null
}

/** Adds a fee rule to a tenant. */
export const addFeeRule = (request: FeeRuleRequest): Command<FeeRule> => ({
  name: "AddFeeRule",
  reads: [],
  decide: (view) => {
    const rule: FeeRule = {
      ...request,
      id: view.newId(),
      effectiveFrom: request.effectiveFrom ?? view.now,
      createdAt: view.now,
      retiredAt: null
    }
    return Result.succeed({ changes: [putRecord(FeeRule, rule)], reply: rule })
  }
})

/** Takes a fee rule back. What was charged by it stays charged. */
export const retireFeeRule = (id: string): Command<FeeRule> => ({
  name: "RetireFeeRule",
  reads: [readRecord(FeeRule, id)],
  decide: (view) => {
    const found = view.get(FeeRule, id)
    if (found === undefined)
      return Result.fail(new Refusal({ code: "not_found", message: "There is no such fee rule." }))
    if (found.retiredAt !== null)
      return Result.fail(new Refusal({ code: "state_conflict", message: "The rule is already retired." }))
    const rule: FeeRule = { ...found, retiredAt: view.now }
    return Result.succeed({ changes: [putRecord(FeeRule, rule)], reply: rule })
  }
})

import type { Reviewed } from "./wire.ts"

/** The statuses of a customer whose review is not over. */
const open = new Set(["not_started", "incomplete", "under_review", "awaiting_questionnaire", "awaiting_ubo", "paused"])

/** Which approval an account of a currency needs. */
const endorsements: Readonly<Record<string, string>> = { USD: "base", EUR: "sepa", GBP: "faster_payments" }

/** Why a customer may have no account of a currency yet, in words; undefined where no review is known to be under way. */
export const reviewOf = ({ endorsements: all, status }: Reviewed, currency: string): string | undefined => {
  if (typeof status === "string" && open.has(status)) return `Bridge's review of the customer is not over: ${status}`
  const needed = all?.find(({ name }) => name === endorsements[currency])
  return needed?.status === "incomplete" ? `Bridge has not approved the customer for ${needed.name} yet` : undefined
}

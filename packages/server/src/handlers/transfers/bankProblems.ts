import type { CreateTransfer } from "@bursar/api/wire/Transfer"
import { Refusal } from "@bursar/core/base/Refusal"
import { countryOf } from "../../wire/bankCodes.ts"
import { schemeOf } from "./railScheme.ts"

/** What is wrong with where or how a bank is to be paid. `path` is of the request's body; the message repeats nothing of what stood there. */
export interface BankProblem {
  readonly path: string
  readonly message: string
}

/** What is wrong with a rail by which a currency is to move; without one its usual rail is meant, which is right. */
export const railProblems = (rail: string | null, currency: string): ReadonlyArray<BankProblem> => {
  const scheme = schemeOf(rail, currency)
  return typeof scheme === "object" ? [{ path: "rail", message: scheme.problem }] : []
}

/**
 * What is wrong with the countries that a transfer or a quote names; nothing where none is named. Both count wherever they stand, whether or
 * not the other one decides, or nobody is paid: what would be ignored is refused, for somebody meant something by it.
 */
export const countryProblems = (
  named: Pick<CreateTransfer, "beneficiary_country" | "country">
): ReadonlyArray<BankProblem> =>
  (["beneficiary_country", "country"] as const).flatMap((path) =>
    named[path] != null && countryOf(named[path]) === undefined
      ? [{ path, message: "This is not a country code of ISO 3166." }]
      : []
  )

/** The refusal of a request with such problems: it tells all at once, each with its field. */
export const bankRefusal = (problems: ReadonlyArray<BankProblem>): Refusal => {
  const fields = problems.map(({ message, path }) => ({ path: `body.${path}`, code: "beneficiary_invalid", message }))
  return new Refusal({
    code: "beneficiary_invalid",
    message: problems[0]?.message ?? "The beneficiary is not valid.",
    detail: { fields }
  })
}

import { SolvencyStatementIn } from "@bursar/api/operator/OperatorSolvency"
import { Schema } from "effect"
import { Untouched } from "../../api/Untouched.ts"

/** Where what a statement is of may stand. */
export const statementPlaces = SolvencyStatementIn.fields.place.literals

const isStatement = Schema.is(SolvencyStatementIn)

/** A statement as a form has it. Throws what a person is told where a snapshot would not take it. */
export const solvencyStatementOf = (said: unknown): SolvencyStatementIn => {
  if (isStatement(said)) return said
  throw new Untouched(
    "invalid_request",
    "It is no statement that a snapshot takes. Write the currency as “USDT_ETH”, the amount as “1234.5”, and the moment as “2026-11-23T11:00:00Z”."
  )
}

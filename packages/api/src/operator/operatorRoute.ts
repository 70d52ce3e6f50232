import { Context } from "effect"
import { OpenApi } from "effect/http-api"
import { Refuses } from "../annotations/Refuses.ts"
import type { ErrorCode } from "../errors/Catalogue.ts"

/** What every path of the operator interface begins with. */
export const operatorPrefix = "/operator/v1"

/** The annotations of an operator endpoint, for `annotateMerge`. */
export const operatorRoute = (
  summary: string,
  description: string,
  refuses: ReadonlyArray<ErrorCode> = []
): Context.Context<never> => Context.add(OpenApi.annotations({ summary, description }), Refuses, refuses)

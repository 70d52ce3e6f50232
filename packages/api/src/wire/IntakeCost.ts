import { JsonObject } from "../errors/ErrorBody.ts"

/** What funding the balance through the custodian costs, from the service's own measurements; an open object. */
export const IntakeCost = JsonObject
/** What funding the balance through the custodian costs. */
export type IntakeCost = typeof IntakeCost.Type

import type { Environment } from "@bursar/core/base/Environment"
import { outOfReach, type Reached } from "@bursar/core/environment/reach"
import { Option } from "effect"

/** A provider as a tenant has it: one of another environment is none, so that nobody asks it anything for the tenant. */
export const inReach = <R extends Reached>(provider: Option.Option<R>, kind: Environment): Option.Option<R> =>
  Option.filter(provider, (one) => outOfReach({ kind }, one) === undefined)

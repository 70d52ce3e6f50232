import type { Change } from "@bursar/core/engine/Change"
import type { Command } from "@bursar/core/engine/Command"
import type { RecordDefinition } from "@bursar/core/engine/Records"
import type { TenantPolicy } from "@bursar/core/tenant/Tenant"
import { Result } from "effect"
import type { Plant } from "../world/Plant.ts"

/** A command of some names whose changes are others. */
export const changing = (
  names: ReadonlyArray<string>,
  change: (changes: ReadonlyArray<Change>) => ReadonlyArray<Change>
): Plant => ({
  command: (command) =>
    names.includes(command.name)
      ? {
          ...command,
          decide: (view) =>
            Result.map(command.decide(view), ({ changes, reply }) => ({ reply, changes: change(changes) }))
        }
      : command
})

/** A command of some names whose tenant has another policy. */
export const policied = (names: ReadonlyArray<string>, policy: Partial<TenantPolicy>): Plant => ({
  command: <A>(command: Command<A>): Command<A> =>
    names.includes(command.name)
      ? {
          ...command,
          decide: (view) =>
            command.decide({ ...view, tenant: { ...view.tenant, policy: { ...view.tenant.policy, ...policy } } })
        }
      : command
})

/** Whether a change moves money in the books. */
export const isPosted = ({ _tag }: Change): boolean => _tag === "Posted"

/** A command of some names that posts twice. */
export const postingTwice = (names: ReadonlyArray<string>): Plant =>
  changing(names, (changes) => [...changes, ...changes.filter(isPosted)])

/** A command of some names that sees other records of a kind than there are. */
export const seeing = <A, K>(
  names: ReadonlyArray<string>,
  seen: RecordDefinition<A, K>,
  change: (record: A) => A
): Plant => ({
  command: (command) =>
    names.includes(command.name)
      ? {
          ...command,
          decide: (view) =>
            command.decide({
              ...view,
              get: (of, key) => {
                const found = view.get(of, key)
                // a definition of that name has records of that type
                return found !== undefined && of.name === seen.name
                  ? (change(found as unknown as A) as unknown as typeof found)
                  : found
              }
            })
        }
      : command
})

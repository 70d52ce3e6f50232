import { isReadable, type ListedOperation } from "@bursar/core/store/UnreadableOperation"
import { Queries } from "@bursar/core/store/Queries"
import type { State } from "@bursar/memory"
import { Effect, Layer } from "effect"
import { portsOver } from "./Partner.ts"

const problem = "the database gave number where an object was expected"

/** Ports over which some operations cannot be read, as where somebody has changed their rows in PostgreSQL: a list names them, and all else that reads one dies. */
export const besideOdd =
  (odd: ReadonlySet<string>) =>
  (state: State): ReturnType<typeof portsOver> => {
    const ports = portsOver(state)
    const named = (one: ListedOperation): ListedOperation =>
      isReadable(one) && odd.has(one.id)
        ? {
            id: one.id,
            tenantId: one.tenantId,
            kind: one.kind,
            status: one.status,
            createdAt: one.createdAt,
            problem
          }
        : one
    const refused = <A extends { readonly id: string }>(one: A): A => {
      if (odd.has(one.id)) throw new Error(problem)
      return one
    }
    const queries = Layer.effect(
      Queries,
      Effect.map(Queries, (all) =>
        Queries.of({
          ...all,
          search: (...wanted) =>
            Effect.map(all.search(...wanted), (hits) =>
              hits.map((hit) => (hit.by === "address" ? hit : { ...hit, operation: named(hit.operation) }))
            ),
          listedOperations: (query) => Effect.map(all.listedOperations(query), (found) => found.map(named)),
          operations: (query) => Effect.map(all.operations(query), (found) => found.map(refused)),
          register: (tenantId, query) => Effect.map(all.register(tenantId, query), (found) => found.map(refused)),
          listedRegister: (tenantId, query) =>
            Effect.map(all.listedRegister(tenantId, query), (found) => found.map(named))
        })
      )
    )
    return Layer.merge(ports, Layer.provide(queries, ports))
  }

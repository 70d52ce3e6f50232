import { Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** A record of an audit log, as operators are answered: what stands before an action has no status. */
export const auditRecord = (id: number, action: string, status: number | null) => ({
  ...{ id, action_id: action, at: "2027-01-01T00:00:00.000Z", operator: "ada", role: "admin", method: "POST" },
  ...{ route: "/operator/v1/tenants", params: {}, status, request_id: "r", address: "", digest: null, values: null },
  ...{ problem: null, previous_hash: "", hash: "" }
})

/** A service that answers with pages of an audit log, newest first, for the rest of a scope: the environment of a command that asks it. */
export const auditLogService = (
  log: ReadonlyArray<Omit<ReturnType<typeof auditRecord>, "problem"> & { readonly problem: string | null }>
) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve) => {
          const server = createServer((request, response) => {
            const query = new URL(request.url ?? "", "http://x").searchParams
            const before = Number(query.get("before") ?? 1e9)
            const entries = log.filter(({ id }) => id < before).slice(0, Number(query.get("limit") ?? 50))
            response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ entries }))
          }).listen(0, "127.0.0.1", () => resolve(server))
        })
    ),
    (server) => Effect.sync(() => (server.close(), server.closeAllConnections()))
  ).pipe(
    Effect.map((server) => ({
      BURSAR_OPERATOR_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens on a port
      OPERATOR_TOKEN: "t".repeat(43)
    }))
  )

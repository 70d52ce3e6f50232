import { Effect } from "effect"
import { openBrowser } from "./consoleBrowser.ts"
import { operatorOn } from "./tenant.ts"
import { environmentOf, migratedDatabase, secrets, serve } from "./world.ts"

/** A service with the tenant `acme`, an operator beside the browser, and what opens a page at which that operator has signed in. */
export const consoleWithTenant = Effect.fnUntraced(function* (name = "Acme") {
  const { url } = yield* migratedDatabase
  // nothing listens there: a network that is on and cannot be reached
  const server = yield* serve(environmentOf(url, { ethereum: "http://127.0.0.1:9" }))
  const operator = yield* operatorOn(server.operatorUrl)
  const { id } = yield* operator.tenants.create({ payload: { slug: "acme", name, kind: "SANDBOX" } })
  const { signedIn } = yield* openBrowser(server.operatorUrl)
  return { operator, params: { tenant_id: id }, path: `/tenants/${id}`, signedIn: signedIn(secrets.OPERATOR_TOKEN) }
})

import { useRead } from "./api/hooks.ts"
import { onSignedInElsewhere } from "./api/otherWindows.ts"
import { isSignedOut } from "./api/problem.ts"
import { useQueryClient } from "@tanstack/react-query"
import { useEffect } from "react"
import { Route, Switch } from "wouter"
import { Home } from "./screens/Home.tsx"
import { Operations } from "./screens/Operations.tsx"
import { useLinkCode } from "./screens/linkCode.ts"
import { Search } from "./screens/Search.tsx"
import { SignIn } from "./screens/SignIn.tsx"
import { Person } from "./shell/Person.tsx"
import { screen } from "./shell/screen.tsx"
import { Notice } from "./ui/Notice.tsx"

const Addresses = screen(() => import("./screens/Addresses.tsx"), "Addresses")
const Approvals = screen(() => import("./screens/Approvals.tsx"), "Approvals")
const Audit = screen(() => import("./screens/Audit.tsx"), "Audit")
const Balances = screen(() => import("./screens/Balances.tsx"), "Balances")
const Books = screen(() => import("./screens/Books.tsx"), "Books")
const Customer = screen(() => import("./screens/Customer.tsx"), "Customer")
const Customers = screen(() => import("./screens/Customers.tsx"), "Customers")
const Deposits = screen(() => import("./screens/Deposits.tsx"), "Deposits")
const Networks = screen(() => import("./screens/Networks.tsx"), "Networks")
const Operation = screen(() => import("./screens/Operation.tsx"), "Operation")
const Reconciliation = screen(() => import("./screens/Reconciliation.tsx"), "Reconciliation")
const Settings = screen(() => import("./screens/Settings.tsx"), "Settings")
const Sweep = screen(() => import("./screens/Sweep.tsx"), "Sweep")
const Sweeps = screen(() => import("./screens/Sweeps.tsx"), "Sweeps")
const Tenant = screen(() => import("./screens/Tenant.tsx"), "Tenant")
const Tenants = screen(() => import("./screens/Tenants.tsx"), "Tenants")
const Wallet = screen(() => import("./screens/Wallet.tsx"), "Wallet")
const Wallets = screen(() => import("./screens/Wallets.tsx"), "Wallets")
const Webhook = screen(() => import("./screens/Webhook.tsx"), "Webhook")

/** The console: signing in, then the screens. */
export const App = () => {
  const session = useRead(["session"], (api) => api.session.show())
  const code = useLinkCode()
  const queries = useQueryClient()
  useEffect(() => onSignedInElsewhere(() => void queries.invalidateQueries({ queryKey: ["session"] })), [queries])
  if (session.isPending) return null
  if (code !== undefined || session.data === undefined || isSignedOut(session.error))
    return <SignIn session={session} />
  return (
    <Person session={session.data}>
      <Switch>
        <Route path="/" component={Home} />
        <Route path="/search" component={Search} />
        <Route path="/operations" component={Operations} />
        <Route path="/operations/:tenant/:id">{({ id, tenant }) => <Operation tenant={tenant} id={id} />}</Route>
        <Route path="/approvals" component={Approvals} />
        <Route path="/deposits" component={Deposits} />
        <Route path="/deposits/addresses" component={Addresses} />
        <Route path="/wallets" component={Wallets} />
        <Route path="/wallets/sweeps" component={Sweeps} />
        <Route path="/wallets/sweeps/:tenant/:id">{({ id, tenant }) => <Sweep tenant={tenant} id={id} />}</Route>
        <Route path="/wallets/:tenant/:id">{({ id, tenant }) => <Wallet tenant={tenant} id={id} />}</Route>
        <Route path="/customers" component={Customers} />
        <Route path="/customers/:tenant/:id">{({ id, tenant }) => <Customer tenant={tenant} id={id} />}</Route>
        <Route path="/reconciliation" component={Reconciliation} />
        <Route path="/books" component={Books} />
        <Route path="/tenants/:tenant/webhooks/:id">{({ id, tenant }) => <Webhook tenant={tenant} id={id} />}</Route>
        <Route path="/balances" component={Balances} />
        <Route path="/tenants" component={Tenants} />
        <Route path="/tenants/:id">{({ id }) => <Tenant id={id} />}</Route>
        <Route path="/networks" component={Networks} />
        <Route path="/audit" component={Audit} />
        <Route path="/settings" component={Settings} />
        <Route>
          <Notice>There is no such page.</Notice>
        </Route>
      </Switch>
    </Person>
  )
}

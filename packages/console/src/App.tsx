import { useRead } from "./api/hooks.ts"
import { isSignedOut } from "./api/problem.ts"
import { Route, Switch } from "wouter"
import { Approvals } from "./screens/Approvals.tsx"
import { Audit } from "./screens/Audit.tsx"
import { Balances } from "./screens/Balances.tsx"
import { Home } from "./screens/Home.tsx"
import { Networks } from "./screens/Networks.tsx"
import { Operation } from "./screens/Operation.tsx"
import { Operations } from "./screens/Operations.tsx"
import { Search } from "./screens/Search.tsx"
import { SignIn } from "./screens/SignIn.tsx"
import { Tenant } from "./screens/Tenant.tsx"
import { Tenants } from "./screens/Tenants.tsx"
import { Shell } from "./shell/Shell.tsx"
import { Notice } from "./ui/Notice.tsx"

/** The console: signing in, then the screens. */
export const App = () => {
  const session = useRead(["session"], (api) => api.session.show())
  if (session.isPending) return null
  if (session.data === undefined || isSignedOut(session.error)) return <SignIn session={session} />
  return (
    <Shell session={session.data}>
      <Switch>
        <Route path="/" component={Home} />
        <Route path="/search" component={Search} />
        <Route path="/operations" component={Operations} />
        <Route path="/operations/:tenant/:id">{({ id, tenant }) => <Operation tenant={tenant} id={id} />}</Route>
        <Route path="/approvals" component={Approvals} />
        <Route path="/balances" component={Balances} />
        <Route path="/tenants" component={Tenants} />
        <Route path="/tenants/:id">{({ id }) => <Tenant id={id} />}</Route>
        <Route path="/networks" component={Networks} />
        <Route path="/audit" component={Audit} />
        <Route>
          <Notice>There is no such page.</Notice>
        </Route>
      </Switch>
    </Shell>
  )
}

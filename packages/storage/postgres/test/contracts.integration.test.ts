import { auditSealsSuite } from "@bursar/testkit/suites/auditSealsSuite"
import { operatorSessionsSuite } from "@bursar/testkit/suites/operatorSessionsSuite"
import { signerTurnSuite } from "@bursar/testkit/suites/signerTurnSuite"
import { signingViewSuite } from "@bursar/testkit/suites/signingViewSuite"
import { ledgerSnapshotSuite } from "@bursar/testkit/suites/ledgerSnapshotSuite"
import { deliveriesSuite } from "@bursar/testkit/suites/deliveriesSuite"
import { grantStoreSuite } from "@bursar/testkit/suites/grantStoreSuite"
import { journalSuite } from "@bursar/testkit/suites/journalSuite"
import { headsSuite } from "@bursar/testkit/suites/headsSuite"
import { heldArrivalsSuite } from "@bursar/testkit/suites/heldArrivalsSuite"
import { keyStoreSuite } from "@bursar/testkit/suites/keyStoreSuite"
import { knownCurrenciesSuite } from "@bursar/testkit/suites/knownCurrenciesSuite"
import { knownNetworksSuite } from "@bursar/testkit/suites/knownNetworksSuite"
import { leadershipSuite } from "@bursar/testkit/suites/leadershipSuite"
import { networkSwitchesSuite } from "@bursar/testkit/suites/networkSwitchesSuite"
import { operatorAuditSuite } from "@bursar/testkit/suites/operatorAuditSuite"
import { positionsSuite } from "@bursar/testkit/suites/positionsSuite"
import { quarantineSuite } from "@bursar/testkit/suites/quarantineSuite"
import { queriesSuite } from "@bursar/testkit/suites/queriesSuite"
import { rateLimitsSuite } from "@bursar/testkit/suites/rateLimitsSuite"
import { seriesSuite } from "@bursar/testkit/suites/seriesSuite"
import { solvencyStoreSuite } from "@bursar/testkit/suites/solvencyStoreSuite"
import { statementsSuite } from "@bursar/testkit/suites/statementsSuite"
import { storageSuite } from "@bursar/testkit/suites/storageSuite"
import { tenantsSuite } from "@bursar/testkit/suites/tenantsSuite"
import { waitingSuite } from "@bursar/testkit/suites/waitingSuite"
import { watchStateSuite } from "@bursar/testkit/suites/watchStateSuite"
import { LinesAtOnce } from "@bursar/postgres/Positions"
import { Effect, Layer } from "effect"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()

/** Ends the sessions that hold or want a lock. */
const endSessions = Effect.flatMap(
  client(url),
  (sql) => sql`select pg_terminate_backend(l.pid) from pg_locks l where l.locktype = 'advisory'
    and l.database = (select oid from pg_database where datname = current_database())`
).pipe(Effect.scoped, Effect.asVoid, Effect.orDie)

statementsSuite("postgres", ports())
auditSealsSuite("postgres", ports(), { second: ports() })
operatorSessionsSuite("postgres", ports(), { second: ports() })
signerTurnSuite("postgres", ports(), { second: ports(), lose: endSessions })
signingViewSuite("postgres", ports())
storageSuite("postgres", ports(), { second: ports() })
tenantsSuite("postgres", ports(), { second: ports() })
queriesSuite("postgres", ports())
watchStateSuite("postgres", ports())
leadershipSuite("postgres", ports(), { second: ports(), lapsesAfterMs: 6_000, lose: endSessions })
deliveriesSuite("postgres", ports(), { second: ports() })
rateLimitsSuite("postgres", ports(), { second: ports() })
ledgerSnapshotSuite("postgres", ports())
journalSuite("postgres", ports())
keyStoreSuite("postgres", ports(), { second: ports() })
grantStoreSuite("postgres", ports())
networkSwitchesSuite("postgres", ports())
knownNetworksSuite("postgres", ports(), { second: ports() })
knownCurrenciesSuite("postgres", ports(), { second: ports() })
quarantineSuite("postgres", ports())
headsSuite("postgres", ports())
seriesSuite("postgres", ports())
waitingSuite("postgres", ports())
heldArrivalsSuite("postgres", ports(), { second: ports() })
// so few at once that what is sought lies behind what is looked through first
positionsSuite("postgres", Layer.merge(ports(), Layer.succeed(LinesAtOnce, 2)))
solvencyStoreSuite("postgres", ports())
operatorAuditSuite("postgres", ports(), { second: ports() })

import { describePostgresContract } from './postgres-contract.js'

describePostgresContract('PostgreSQL', 0)

import { describePostgresContract } from './postgres-contract.js'

describePostgresContract('PostgreSQL in 2 hash partitions', 2)

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ConfigError, loadConfig, readConfig, readServiceConfig, settingNames } from './config.js'

const masterKey = '0123456789abcdef0123456789abcdef'

function messageOf(env: Record<string, string>): string {
  try {
    loadConfig(env)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as ConfigError).message
  }
  throw new Error(`accepted ${JSON.stringify(env)}`)
}

describe('rate limits', () => {
  const key = { SERVICE_MASTER_KEY: 'k'.repeat(32) }
  it.each([
    ['authentication is on', key, true],
    ['other machines can connect', { SERVICE_HOST: '0.0.0.0', SERVICE_AUTH_ENABLED: 'false' }, true],
    ['a proxy is in front', { SERVICE_TRUSTED_PROXIES: '127.0.0.1' }, true],
    ['a limit is set', { SERVICE_RATE_LIMIT_RECALL: '5/minute' }, true],
    ['they are asked for', { SERVICE_RATE_LIMIT_ENABLED: 'true' }, true],
    ['only this machine can connect, without a key', {}, false],
    ['they are turned off', { ...key, SERVICE_RATE_LIMIT_ENABLED: 'false' }, false],
  ])('if %s: %j, on: %s', (_when, environment, enabled) => {
    expect(loadConfig(environment).config.rateLimit.enabled).toBe(enabled)
  })
})

describe('defaults', () => {
  it('listen on loopback and use the numbers of the specification', () => {
    const { config, warnings } = loadConfig({})
    expect(config).toEqual({
      host: '127.0.0.1',
      port: 8787,
      dataDir: './data',
      databaseUrl: undefined,
      databasePartitions: 0,
      databasePool: undefined,
      databaseReplicas: false,
      maxRequests: 64 * availableParallelism(),
      textThreads: Math.min(4, Math.max(1, availableParallelism() - 1)),
      indexMemoryBytes: Math.min(512, Math.floor(totalmem() / 4 / 2 ** 20)) * 2 ** 20,
      indexUserMemories: Math.floor((Math.min(512, Math.floor(totalmem() / 4 / 2 ** 20)) * 2 ** 20) / 1_000),
      masterKey: undefined,
      authEnabled: false,
      rateLimit: { enabled: false, store: 30, recall: 60, forget: 10, default: 120 },
      trust: { threshold: 0.5, flagThreshold: 0.65, policy: 'reject', sanitize: true },
      secrets: 'redact',
      defaultTtlDays: undefined,
      decay: { enabled: true, halfLifeDays: 30, accessBoostWeight: 0.2 },
      readFirst: 5,
      auditLog: undefined,
      logLevel: 'info',
      logFormat: 'auto',
      trustedProxies: [],
      corsOrigins: [],
      allowedHosts: [],
      embedding: undefined,
      languageModel: undefined,
      cleanupIntervalMs: undefined,
      consolidationIntervalMs: undefined,
      vacuumMaxBytes: 128_000_000,
      versionsKept: 100,
      userQuotaBytes: undefined,
      maxConnections: 5_000,
      mcpUser: 'default',
      eventStreams: { inAll: 500, perUser: 10 },
      webhookAllowPrivate: false,
    })
    expect(warnings).toEqual([])
  })

  it('apply if a variable is empty or white space', () => {
    const blank = Object.fromEntries(settingNames.map((name, index) => [name, index % 2 ? '' : '  ']))
    expect(loadConfig(blank)).toEqual(loadConfig({}))
  })

  it('are frozen at every depth', () => {
    const { config } = loadConfig({ SERVICE_CORS_ORIGINS: 'https://a.example' })
    expect(() => Object.assign(config, { port: 1 })).toThrow(TypeError)
    expect(() => Object.assign(config.rateLimit, { store: 1 })).toThrow(TypeError)
    expect(() => Object.assign(config.corsOrigins, ['x'])).toThrow(TypeError)
  })
})

describe('valid values', () => {
  it.each([
    ['SERVICE_HOST', '::1', { host: '::1' }],
    ['SERVICE_HOST', '[::1]', { host: '::1' }],
    ['SERVICE_HOST', '127.8.9.1', { host: '127.8.9.1' }],
    ['SERVICE_HOST', 'localhost', { host: 'localhost' }],
    ['SERVICE_PORT', '0', { port: 0 }],
    ['SERVICE_PORT', '65535', { port: 65535 }],
    ['SERVICE_DATA_DIR', '/var/lib/keepsake', { dataDir: '/var/lib/keepsake' }],
    ['SERVICE_MASTER_KEY', masterKey, { masterKey, authEnabled: true }],
    [
      'SERVICE_RATE_LIMIT_ENABLED',
      'FALSE',
      { rateLimit: { enabled: false, store: 30, recall: 60, forget: 10, default: 120 } },
    ],
    [
      'SERVICE_RATE_LIMIT_STORE',
      '5/minute',
      { rateLimit: { enabled: true, store: 5, recall: 60, forget: 10, default: 120 } },
    ],
    [
      'SERVICE_RATE_LIMIT_RECALL',
      '5/minute',
      { rateLimit: { enabled: true, store: 30, recall: 5, forget: 10, default: 120 } },
    ],
    [
      'SERVICE_RATE_LIMIT_FORGET',
      '5/minute',
      { rateLimit: { enabled: true, store: 30, recall: 60, forget: 5, default: 120 } },
    ],
    [
      'SERVICE_RATE_LIMIT_DEFAULT',
      '5/minute',
      { rateLimit: { enabled: true, store: 30, recall: 60, forget: 10, default: 5 } },
    ],
    [
      'SERVICE_TRUST_SCORE_THRESHOLD',
      '0',
      { trust: { threshold: 0, flagThreshold: 0.65, policy: 'reject', sanitize: true } },
    ],
    [
      'SERVICE_TRUST_SCORE_THRESHOLD',
      '1',
      { trust: { threshold: 1, flagThreshold: 0.65, policy: 'reject', sanitize: true } },
    ],
    [
      'SERVICE_TRUST_FLAG_THRESHOLD',
      '0.9',
      { trust: { threshold: 0.5, flagThreshold: 0.9, policy: 'reject', sanitize: true } },
    ],
    [
      'SERVICE_TRUST_POLICY',
      'flag',
      { trust: { threshold: 0.5, flagThreshold: 0.65, policy: 'flag', sanitize: true } },
    ],
    [
      'SERVICE_SANITIZE_ENABLED',
      '0',
      { trust: { threshold: 0.5, flagThreshold: 0.65, policy: 'reject', sanitize: false } },
    ],
    ['SERVICE_SECRETS', 'refuse', { secrets: 'refuse' }],
    ['SERVICE_SECRETS', 'keep', { secrets: 'keep' }],
    ['SERVICE_DEFAULT_TTL_DAYS', '36500', { defaultTtlDays: 36500 }],
    ['SERVICE_DECAY_ENABLED', 'false', { decay: { enabled: false, halfLifeDays: 30, accessBoostWeight: 0.2 } }],
    ['SERVICE_DECAY_HALF_LIFE_DAYS', '0.5', { decay: { enabled: true, halfLifeDays: 0.5, accessBoostWeight: 0.2 } }],
    ['SERVICE_READ_FIRST', '0', { readFirst: 0 }],
    ['SERVICE_ACCESS_BOOST_WEIGHT', '0', { decay: { enabled: true, halfLifeDays: 30, accessBoostWeight: 0 } }],
    ['SERVICE_AUDIT_LOG', '/var/log/audit.log', { auditLog: '/var/log/audit.log' }],
    ['SERVICE_LOG_LEVEL', 'DEBUG', { logLevel: 'debug' }],
    ['SERVICE_LOG_FORMAT', 'Text', { logFormat: 'text' }],
    ['SERVICE_TRUSTED_PROXIES', '10.0.0.0/8, ::1 ,10.0.0.0/8', { trustedProxies: ['10.0.0.0/8', '::1'] }],
    [
      'SERVICE_CORS_ORIGINS',
      'https://a.example,http://localhost:5173',
      { corsOrigins: ['https://a.example', 'http://localhost:5173'] },
    ],
    ['SERVICE_ALLOWED_HOSTS', 'Keepsake, [::1],10.0.0.7', { allowedHosts: ['keepsake', '::1', '10.0.0.7'] }],
    ['SERVICE_CLEANUP_INTERVAL', '1h', { cleanupIntervalMs: 3_600_000 }],
    ['SERVICE_DATABASE_POOL', '40', { databasePool: 40 }],
    ['SERVICE_DATABASE_REPLICAS', 'true', { databaseReplicas: true }],
    ['SERVICE_MAX_REQUESTS', '64', { maxRequests: 64 }],
    ['SERVICE_TEXT_THREADS', '3', { textThreads: 3 }],
    ['SERVICE_CLEANUP_INTERVAL', '3w', { cleanupIntervalMs: 21 * 86_400_000 }],
    ['SERVICE_CLEANUP_INTERVAL', 'off', { cleanupIntervalMs: undefined }],
    ['SERVICE_CONSOLIDATION_INTERVAL', '2d', { consolidationIntervalMs: 2 * 86_400_000 }],
    ['SERVICE_CONSOLIDATION_INTERVAL', 'OFF', { consolidationIntervalMs: undefined }],
    ['SERVICE_VACUUM_MAX_MB', '0', { vacuumMaxBytes: 0 }],
    ['SERVICE_MAX_CONNECTIONS', '99', { maxConnections: 99 }],
    ['SERVICE_USER_QUOTA_MB', '50', { userQuotaBytes: 50_000_000 }],
    ['SERVICE_VERSIONS_KEPT', '20', { versionsKept: 20 }],
    ['SERVICE_INDEX_MEMORY_MB', '1024', { indexMemoryBytes: 2 ** 30, indexUserMemories: 1_073_741 }],
    ['SERVICE_INDEX_USER_MEMORIES', '5000', { indexUserMemories: 5_000 }],
    ['SERVICE_MCP_USER', ' alice ', { mcpUser: 'alice' }],
    ['SERVICE_EVENT_STREAMS', '7', { eventStreams: { inAll: 7, perUser: 10 } }],
    ['SERVICE_EVENT_STREAMS_PER_USER', '0', { eventStreams: { inAll: 500, perUser: 0 } }],
    ['SERVICE_WEBHOOK_ALLOW_PRIVATE', 'true', { webhookAllowPrivate: true }],
  ])('accepts %s=%s', (name, value, expected) => {
    const { config, warnings } = loadConfig({ [name]: value })
    expect(config).toMatchObject(expected)
    expect(warnings).toEqual([])
  })

  it('include a remote embedder with or without a key, and drop the last slash of its URL', () => {
    const base = { SERVICE_EMBEDDING_BASE_URL: 'http://127.0.0.1:11434/v1/', SERVICE_EMBEDDING_MODEL: 'nomic' }
    const expected = { baseUrl: 'http://127.0.0.1:11434/v1', model: 'nomic', apiKey: undefined }
    expect(loadConfig(base).config.embedding).toEqual(expected)
    expect(loadConfig({ ...base, SERVICE_EMBEDDING_API_KEY: 'sk-1' }).config.embedding?.apiKey).toBe('sk-1')
  })
})

describe('an invalid value stops the start with one line that names the setting and an example', () => {
  const bad: [string, string][] = [
    ['SERVICE_HOST', 'http://127.0.0.1'],
    ['SERVICE_HOST', '127.0.0.1:80'],
    ['SERVICE_HOST', 'a b'],
    ...['-1', '65536', '80.5', 'http', '0x50', '1e3'].map((value): [string, string] => ['SERVICE_PORT', value]),
    ['SERVICE_AUTH_ENABLED', 'yes'],
    ['SERVICE_RATE_LIMIT_ENABLED', 'on'],
    ...['30', '0/minute', '-1/minute', '30/hour', '30 / minute', '1.5/minute', '1e3/minute'].map(
      (value): [string, string] => ['SERVICE_RATE_LIMIT_STORE', value],
    ),
    ['SERVICE_RATE_LIMIT_RECALL', 'many'],
    ['SERVICE_RATE_LIMIT_FORGET', 'many'],
    ['SERVICE_RATE_LIMIT_DEFAULT', 'many'],
    ...['-0.1', '1.1', 'NaN', 'high', '0,5'].map((value): [string, string] => ['SERVICE_TRUST_SCORE_THRESHOLD', value]),
    ['SERVICE_TRUST_POLICY', 'warn'],
    ['SERVICE_SECRETS', 'drop'],
    ['SERVICE_SANITIZE_ENABLED', 'maybe'],
    ...['0', '-3', '36501', '7d', '1.5'].map((value): [string, string] => ['SERVICE_DEFAULT_TTL_DAYS', value]),
    ['SERVICE_DECAY_ENABLED', 'no'],
    ...['0', '-30', 'Infinity', '9'.repeat(400)].map((value): [string, string] => [
      'SERVICE_DECAY_HALF_LIFE_DAYS',
      value,
    ]),
    ...['-0.2', 'much'].map((value): [string, string] => ['SERVICE_ACCESS_BOOST_WEIGHT', value]),
    ['SERVICE_LOG_LEVEL', 'loud'],
    ...['proxy.local', '10.0.0.0/33', '10.0.0.0/0', '10.0.0.1/8/8', '::1/129', 'fe80::1%eth0', '10.0.0.1/'].map(
      (value): [string, string] => ['SERVICE_TRUSTED_PROXIES', value],
    ),
    ...[
      '*,https://a.example',
      'a.example',
      'https://a.example/',
      'https://a.example:443',
      'ftp://a.example',
      'null',
    ].map((value): [string, string] => ['SERVICE_CORS_ORIGINS', value]),
    ...['*', 'http://a.example', 'a.example:8787', 'a b'].map((value): [string, string] => [
      'SERVICE_ALLOWED_HOSTS',
      value,
    ]),
    ...['1m', '30s', '0h', '1', '25d', '4w', '1h30'].map((value): [string, string] => [
      'SERVICE_CLEANUP_INTERVAL',
      value,
    ]),
    ...['1m', '0h', '25d'].map((value): [string, string] => ['SERVICE_CONSOLIDATION_INTERVAL', value]),
  ]
  it.each(bad)('%s=%s', (name, value) => {
    const message = messageOf({ [name]: value })
    expect(message).toMatch(new RegExp(`^${name}: .*; for example ${name}=\\S`))
    expect(message).not.toContain('\n')
    expect(message.length).toBeLessThan(300)
  })

  it('is one line, whatever the value', () => {
    fc.assert(
      fc.property(fc.constantFrom(...settingNames), fc.string({ unit: 'binary', maxLength: 200 }), (name, value) => {
        try {
          loadConfig({ [name]: value })
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError)
          expect((error as ConfigError).message).toMatch(/^SERVICE_[^\n\r]+$/)
        }
      }),
      { numRuns: 2000 },
    )
  })

  it.each(['LLM', 'EMBEDDING'])(
    'requires an http URL without credentials and a model for a remote model (%s)',
    (kind) => {
      const [url, model, key] = [`SERVICE_${kind}_BASE_URL`, `SERVICE_${kind}_MODEL`, `SERVICE_${kind}_API_KEY`]
      const good = 'https://models.example/v1'
      expect(messageOf({ [url]: good })).toContain(`${model}: must be set together with ${url}`)
      expect(messageOf({ [model]: 'm' })).toContain(`${url}: must be set together with ${model}`)
      expect(messageOf({ [key]: 'k' })).toContain(`${url}: must be set`)
      for (const bad of [
        'models.example',
        'ftp://models.example',
        `${good}?key=hidden`,
        'https://bob:hidden@models.example',
      ]) {
        const message = messageOf({ [url]: bad, [model]: 'm' })
        expect(message).toMatch(new RegExp(`^${url}: .*for example ${url}=`))
        expect(message).not.toContain('hidden')
      }
    },
  )

  it('accepts a database URL, and never shows a rejected one', () => {
    const url = 'postgres://bob:hidden@127.0.0.1:5432/keepsake'
    expect(loadConfig({ SERVICE_DATABASE_URL: url, SERVICE_DATABASE_PARTITIONS: '16' }).config).toMatchObject({
      databaseUrl: url,
      databasePartitions: 16,
      databasePool: undefined,
    })
    for (const bad of ['bob:hidden', 'mysql://bob:hidden@h/k', 'postgres://bob:hidden@/k', 'postgres://bob:hidden@h']) {
      const message = messageOf({ SERVICE_DATABASE_URL: bad })
      expect(message).toMatch(/^SERVICE_DATABASE_URL: .*for example SERVICE_DATABASE_URL=postgres:/)
      expect(message).not.toContain('hidden')
    }
  })

  it('accepts a database URL with several hosts, each of them once, and only to write', () => {
    const url = 'postgres://bob:hidden@a:5432,b/keepsake?target_session_attrs=read-write'
    expect(loadConfig({ SERVICE_DATABASE_URL: url }).config.databaseUrl).toBe(url)
    for (const [bad, problem] of [
      ['postgres://bob:hidden@a,b,a:5432/k', 'names a:5432 twice'],
      ['postgres://bob:hidden@a,b/k?target_session_attrs=any', 'target_session_attrs'],
      ['postgres://bob:hidden@a/k?target_session_attrs=standby', 'target_session_attrs'],
      ['postgres://bob:hidden@a,/k', 'must be a postgres:// URL'],
    ] as const) {
      const message = messageOf({ SERVICE_DATABASE_URL: bad })
      expect(message).toContain(problem)
      expect(message).not.toContain('hidden')
    }
  })

  it('warns about an unencrypted connection to a database', () => {
    const warningsOf = (url: string) => loadConfig({ SERVICE_DATABASE_URL: url }).warnings
    expect(warningsOf('postgres://bob:hidden@db.example/k')).toEqual([
      expect.stringMatching(/^SERVICE_DATABASE_URL: .*sslmode/),
    ])
    expect(warningsOf('postgres://bob:hidden@db.example/k?sslmode=verify-full')).toEqual([])
    expect(warningsOf('postgres://bob:hidden@[::1]:5432/k')).toEqual([])
    expect(warningsOf('postgres://bob:hidden@[::1]:5432,127.0.0.1/k')).toEqual([])
    expect(warningsOf('postgres://bob:hidden@[::1]:5432,db.example/k')).toHaveLength(1)
  })

  it.each([
    ['redis', 'must be a redis or rediss URL'],
    ['http://bob:hidden@host:6379', 'must be a redis or rediss URL'],
    ['localhost:6379', 'must be a redis or rediss URL'],
    ['redis://bob:hidden@host:port', 'must be a redis or rediss URL'],
    ['redis://', 'must name a host'],
    ['redis:///1', 'must name a host'],
    ['redis://bob:hidden@host/one', 'must have nothing after the host except the number of a database'],
    ['redis://bob:hidden@host/0?timeout=1', 'must not have a query or a fragment'],
    ['redis://:hidden%zz@host', 'has broken percent-encoding in its password'],
  ])('rejects SERVICE_REDIS_URL=%s in one line without showing it', (text, problem) => {
    const message = messageOf({ SERVICE_REDIS_URL: text })
    expect(message).toBe(`SERVICE_REDIS_URL: ${problem}; for example SERVICE_REDIS_URL=redis://127.0.0.1:6379`)
  })

  it.each(['redis://127.0.0.1', 'redis://:p%40ss@[::1]:6380/2', 'rediss://bob:secret@redis.example.com:6379/'])(
    'accepts SERVICE_REDIS_URL=%s',
    (url) => {
      const { config, warnings } = loadConfig({ SERVICE_REDIS_URL: url })
      expect(config.redisUrl).toBe(url)
      expect(warnings).toEqual([])
    },
  )

  it('warns if SERVICE_REDIS_URL sends a password unencrypted, or if limits are off', () => {
    const remote = loadConfig({ SERVICE_REDIS_URL: 'redis://:hidden@10.0.0.5' })
    expect(remote.warnings).toEqual(['SERVICE_REDIS_URL: redis sends the password unencrypted'])
    const off = loadConfig({ SERVICE_REDIS_URL: 'redis://127.0.0.1', SERVICE_RATE_LIMIT_ENABLED: 'false' })
    expect(off.warnings).toEqual(['SERVICE_REDIS_URL: has no effect while SERVICE_RATE_LIMIT_ENABLED is false'])
  })

  it('never shows the value of a secret', () => {
    for (const secret of [
      'short-secret',
      'a secret with spaces that is long enough',
      `${masterKey}ü`,
      `${masterKey}\u0000`,
    ]) {
      expect(messageOf({ SERVICE_MASTER_KEY: secret })).not.toContain(secret.slice(0, 8))
    }
    const model = {
      SERVICE_LLM_BASE_URL: 'https://m.example',
      SERVICE_LLM_MODEL: 'm',
      SERVICE_LLM_API_KEY: 'hidden key',
    }
    expect(messageOf(model)).not.toContain('hidden')
  })
})

describe('authentication', () => {
  it('is on if a master key is set, and off otherwise', () => {
    expect(loadConfig({ SERVICE_MASTER_KEY: masterKey }).config.authEnabled).toBe(true)
    expect(loadConfig({}).config.authEnabled).toBe(false)
  })

  it('can be turned off explicitly even if a master key is set', () => {
    const { config } = loadConfig({ SERVICE_MASTER_KEY: masterKey, SERVICE_AUTH_ENABLED: 'false' })
    expect(config).toMatchObject({ masterKey, authEnabled: false })
  })

  it('requires a master key of at least 32 characters', () => {
    expect(messageOf({ SERVICE_MASTER_KEY: masterKey.slice(1) })).toContain('at least 32 characters, not 31')
    expect(loadConfig({ SERVICE_MASTER_KEY: masterKey, SERVICE_AUTH_ENABLED: '1' }).config.authEnabled).toBe(true)
  })

  it('can be on without a master key, with a warning that no key can be created', () => {
    const { config, warnings } = loadConfig({ SERVICE_AUTH_ENABLED: 'true' })
    expect(config).toMatchObject({ masterKey: undefined, authEnabled: true })
    expect(warnings.join()).toContain('SERVICE_MASTER_KEY: not set')
  })

  it.each(['0.0.0.0', '::', '192.168.1.4', 'keepsake.internal', '127.0.0.1.example.com', '::2'])(
    'refuses to listen on %s when it is off by default, and warns when it is off explicitly',
    (host) => {
      expect(messageOf({ SERVICE_HOST: host })).toContain('SERVICE_AUTH_ENABLED=false')
      const { config, warnings } = loadConfig({ SERVICE_HOST: host, SERVICE_AUTH_ENABLED: 'false' })
      expect(config.host).toBe(host)
      expect(warnings.join()).toContain('can read and write')
      expect(loadConfig({ SERVICE_HOST: host, SERVICE_MASTER_KEY: masterKey }).warnings).toEqual([])
    },
  )
})

describe('warnings', () => {
  it('name unknown settings and suggest the likely one', () => {
    const { warnings } = loadConfig({
      SERVICE_PROT: '1',
      SERVICE_RATELIMIT_STORE: '1',
      SERVICE_COLOUR_OF_SKY: 'x',
      OTHER: 'x',
    })
    expect(warnings).toEqual([
      'SERVICE_PROT: unknown setting, ignored; did you mean SERVICE_PORT?',
      'SERVICE_RATELIMIT_STORE: unknown setting, ignored; did you mean SERVICE_RATE_LIMIT_STORE?',
      'SERVICE_COLOUR_OF_SKY: unknown setting, ignored',
    ])
  })

  it('name settings that are probably mistakes', () => {
    const warned = (env: Record<string, string>) => loadConfig(env).warnings.join('\n')
    expect(warned({ SERVICE_MASTER_KEY: 'a'.repeat(32) })).toContain('SERVICE_MASTER_KEY')
    expect(warned({ SERVICE_CORS_ORIGINS: '*' })).toContain('every web page')
    const remote = {
      SERVICE_LLM_BASE_URL: 'http://models.example',
      SERVICE_LLM_MODEL: 'm',
      SERVICE_LLM_API_KEY: 'hidden',
    }
    expect(warned(remote)).toMatch(/SERVICE_LLM_BASE_URL: .*and the API key unencrypted/)
    expect(warned(remote)).not.toContain('hidden')
  })
})

describe('the .env file', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('provides settings that the environment does not, and an empty variable hides its line', () => {
    const file = '\uFEFF# comment\nSERVICE_PORT=1000\nSERVICE_LOG_LEVEL="debug"\nSERVICE_TRUST_POLICY=flag # why\n'
    const { config } = loadConfig({ SERVICE_PORT: '2000', SERVICE_LOG_LEVEL: '' }, file)
    expect(config).toMatchObject({ port: 2000, logLevel: 'info', trust: { policy: 'flag' } })
    expect(loadConfig({}, file).config.port).toBe(1000)
    expect(loadConfig({}, 'SERVICE_PROT=1').warnings.join()).toContain('did you mean SERVICE_PORT?')
  })

  function inDirectory(check: (directory: string, write: (path: string, text: string) => void) => void) {
    const directory = mkdtempSync(join(tmpdir(), 'keepsake-config-'))
    for (const name of settingNames) vi.stubEnv(name, undefined)
    mkdirSync(join(directory, 'data'))
    try {
      check(directory, (path, text) => writeFileSync(join(directory, path), text))
    } finally {
      rmSync(directory, { recursive: true })
    }
  }

  it('is read from the data directory and is optional', () =>
    inDirectory((directory, write) => {
      expect(readServiceConfig(undefined, directory).config.port).toBe(8787)
      write('data/.env', 'SERVICE_PORT=4321\nSERVICE_TRUST_POLICY=flag\n')
      vi.stubEnv('SERVICE_PORT', '1234')
      expect(readServiceConfig(undefined, directory).config).toMatchObject({ port: 1234, trust: { policy: 'flag' } })
      vi.stubEnv('SERVICE_DATA_DIR', join(directory, 'elsewhere'))
      expect(readServiceConfig(undefined, directory).config.trust.policy).toBe('reject')
    }))

  it('is not read from the working directory: a warning says where to move it', () =>
    inDirectory((directory, write) => {
      write('.env', 'SERVICE_PORT=4321\n')
      const { config, warnings } = readServiceConfig(undefined, directory)
      expect(config.port).toBe(8787)
      expect(warnings).toEqual([
        `${join(directory, '.env')}: not read; move it to ${join(directory, 'data', '.env')}, or name it with --env-file`,
      ])
    }))

  it('is replaced by the file that is named, which must exist', () =>
    inDirectory((directory, write) => {
      write('data/.env', 'SERVICE_TRUST_POLICY=flag\n')
      write('named', 'SERVICE_PORT=4321\nSERVICE_DATA_DIR=/elsewhere\n')
      const { config, warnings } = readServiceConfig('named', directory)
      expect(config).toMatchObject({ port: 4321, dataDir: '/elsewhere', trust: { policy: 'reject' } })
      expect(warnings).toEqual([])
      expect(() => readServiceConfig('absent', directory)).toThrow(ConfigError)
    }))

  it('must not name another data directory than the one that it is in', () =>
    inDirectory((directory, write) => {
      write('data/.env', 'SERVICE_DATA_DIR=./data\n')
      expect(readServiceConfig(undefined, directory).config.dataDir).toBe('./data')
      write('data/.env', 'SERVICE_DATA_DIR=/elsewhere\n')
      expect(() => readServiceConfig(undefined, directory)).toThrow(/^SERVICE_DATA_DIR: must not be set in /)
    }))

  it('is never read for other commands', () =>
    inDirectory((directory, write) => {
      for (const path of ['.env', 'data/.env']) write(path, 'SERVICE_PORT=4321\n')
      vi.spyOn(process, 'cwd').mockReturnValue(directory)
      expect(readConfig().config.port).toBe(8787)
      vi.restoreAllMocks()
    }))
})

it('docs/configuration.md describes every setting and no other', () => {
  const page = readFileSync(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8')
  const described = [...page.matchAll(/^\| `(SERVICE_[A-Z_]+)` \|/gm)].map(([, name]) => name)
  expect(described.sort()).toEqual([...settingNames].sort())
})

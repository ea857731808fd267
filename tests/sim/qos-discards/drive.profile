# as tests/sim/qos-autossd.profile, with fewer rows, and with discards (trim_ns=500000, trim_step_ns=200000)
ssdqos-profile 1
window_ms 100 1000
cost read rand 16384 32 990 14129 13331
cost write rand 16384 32 990 160000 140000
mix 50 1300
discard seq 65536 500000
discard seq 33554432 1900000
discard rand 65536 520000
discard rand 33554432 1900000

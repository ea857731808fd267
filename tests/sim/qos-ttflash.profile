# ttflash of 1 GiB, aged, scheduler fifo, as ssdqos profile has measured it, for windows of a second; shortened
ssdqos-profile 1
window_ms 1000
cost read rand 4096 1 950 140766
cost read rand 4096 8 950 23449
cost read rand 4096 32 950 14138
cost read rand 16384 1 950 145688
cost read rand 16384 8 950 54254
cost read rand 16384 32 950 50819
cost read rand 65536 1 950 259673
cost read rand 65536 8 950 198177
cost read rand 65536 32 950 198217
cost write rand 4096 1 950 66234
cost write rand 4096 8 950 66068
cost write rand 4096 32 950 66068
cost write rand 16384 1 950 267023
cost write rand 16384 8 950 267237
cost write rand 16384 32 950 267237
cost write rand 65536 1 950 1070664
cost write rand 65536 8 950 1070664
cost write rand 65536 32 950 1070664
mix 0 1000
mix 3 1107
mix 4 1033
mix 5 1254
mix 23 1548
mix 31 1754
mix 33 1158
mix 37 1000
mix 73 1471
mix 80 1555
mix 82 1000
mix 84 1000
mix 96 1000
mix 98 1000
mix 100 1000
mixed 1 1 950 1682
mixed 1 8 950 1386
mixed 1 32 950 1116
mixed 2 32 950 1272
mixed 3 1 950 2077
mixed 3 8 950 2197
mixed 3 32 950 1429
mixed 4 32 950 1471
mixed 5 1 950 2988
mixed 5 32 950 1479
mixed 9 32 950 1514
mixed 11 32 950 1531
mixed 17 32 950 1583
mixed 22 32 950 1626
mixed 23 8 950 2886
mixed 30 32 950 1696
mixed 31 1 950 3375
mixed 33 32 950 1722
mixed 35 32 950 1692
mixed 37 32 950 1663
mixed 48 32 950 1500
mixed 73 8 950 1774
mixed 80 1 950 1712
mixed 81 32 950 1014
mixed 82 32 950 1000
mixed 84 32 950 1000
mixed 96 8 950 1000
mixed 98 32 950 1000
beside_of 4096 1 1 950 1507
beside_of 16384 1 1 950 2857
beside_of 65536 1 1 950 4124
beside_of 4096 1 8 950 1335
beside_of 4096 2 1 950 2154
beside_of 16384 2 1 950 3644
beside_of 65536 2 1 950 5549
beside_of 4096 2 8 950 1945
beside_of 4096 10 1 950 4917
beside_of 16384 10 1 950 9547
beside_of 65536 10 1 950 6877
beside_of 4096 10 8 950 3988
beside_of 4096 20 1 950 6141
beside_of 16384 20 1 950 10759
beside_of 65536 20 1 950 7145
beside_of 4096 20 8 950 4735
beside_of 4096 40 1 950 7615
beside_of 16384 40 1 950 11917
beside_of 65536 40 1 950 7626
beside_of 4096 40 8 950 6065
beside_of 4096 100 1 950 13903
beside_of 16384 100 1 950 17075
beside_of 65536 100 1 950 10465
beside_of 4096 100 8 950 10461

# docs/gangs.svg: what 16 workers do around a gang of 16.
#
#   TWOFOLD_GANGS_CSV=gangs.csv build/dev/tests/lib/queue_tests --gtest_filter='*GangSimulation*'
#   gnuplot -e "csv='gangs.csv'" docs/figures/gangs.gnuplot > docs/gangs.svg

set terminal svg size 860,360 background rgb 'white' font 'sans-serif,12'
set datafile separator ','
set xrange [55:100]
set yrange [0:16]
set xlabel 'virtual time in s'
set ylabel 'workers'
set ytics 4
set key outside top center horizontal
set style fill solid noborder

# Stacked: each is drawn over the sum of it and those after it.
plot csv skip 1 using 1:($2+$3+$4+$5) with filledcurves y1=0 lc rgb '#e8e8e8' title 'idle', \
     csv skip 1 using 1:($2+$3+$4) with filledcurves y1=0 lc rgb '#e6a13c' title 'held for the gang', \
     csv skip 1 using 1:($2+$3) with filledcurves y1=0 lc rgb '#b5534a' title 'gang', \
     csv skip 1 using 1:2 with filledcurves y1=0 lc rgb '#4a7ab5' title 'small jobs'
